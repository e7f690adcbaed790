// What the names of inputs and node types say about them, where nothing else does.

/** Inputs that take anything, and whose node then returns anything: switches, gates, displays. */
export const takesAnything =
  /^(any|anything|value|input|source|signal|switch|on_true|on_false)(_?\d+)?$/i

/** The types of links by the names of their inputs; `isUsual` for names without a prefix, which nodes require. */
const linkTypes: readonly (readonly [name: RegExp, type: string])[] = [
  [/^(.+_)?images?$|^pixels$/, 'IMAGE'],
  [/^(.+_)?mask$/, 'MASK'],
  [/^model$/, 'MODEL'],
  [/^clip$/, 'CLIP'],
  [/^vae$/, 'VAE'],
  [/^control_net$/, 'CONTROL_NET'],
  [/^clip_vision$/, 'CLIP_VISION'],
  [/^sigmas$/, 'SIGMAS'],
  [/^noise$/, 'NOISE'],
  [/^guider$/, 'GUIDER'],
  [/^sampler$/, 'SAMPLER'],
  [/^upscale_model$/, 'UPSCALE_MODEL'],
  [/^(positive|negative|conditioning.*)$/, 'CONDITIONING'],
  [/^(samples|latents?|.+_latent)$/, 'LATENT'],
  [/^audio$/, 'AUDIO'],
]

/** The same for inputs that are literals elsewhere. */
const valueTypes: readonly (readonly [name: RegExp, type: string])[] = [
  [/^(width|height|steps|.*seed|length|batch_size|index|count)$/, 'INT'],
  [/^(text|prompt|.+_prompt|string.*|filename_prefix)$/, 'STRING'],
]

/** Numbers that have a fraction, although a workflow writes them without one. */
export const isFraction = (name: string): boolean =>
  /(^|_)(cfg|denoise|fps|frame_rate|strength|scale|weight|guidance|shift|percent|seconds|temperature)$/.test(
    name,
  )

/** The type of a link by the name of its input; undefined if that says nothing. */
export const typeByName = (name: string): string | undefined =>
  [...linkTypes, ...valueTypes].find(([pattern]) => pattern.test(name))?.[1] ??
  (isFraction(name) ? 'FLOAT' : undefined)

const usual =
  /^(images?|pixels|mask|model|clip|vae|control_net|clip_vision|sigmas|noise|guider|sampler|upscale_model|positive|negative|conditioning|samples|latents?)$/

/** Whether nodes usually require a link of this name. Those with a number or a dot can be left out. */
export const isUsuallyRequired = (name: string): boolean => usual.test(name)

/** Whether an input is one of several of its kind: `image_3`, `values.a`. */
export const isOneOfSeveral = (name: string): boolean => /_?\d+$|\./.test(name)

/** Whether the name of a type says that it shows or saves what it receives. */
export const isOutputName = (class_type: string): boolean =>
  /(^|[^a-z])(save|preview|show|display|view|export|websocket)/i.test(class_type) ||
  /combine|compar(e|er)\b/i.test(class_type)

export const isModelName = (value: string): boolean =>
  /\.(safetensors|sft|ckpt|pt|pth|bin|pkl|gguf|onnx|engine)$/i.test(value)

/** The folders of model files by the inputs that name them. */
export const folderByInput: Readonly<Record<string, string>> = {
  ckpt_name: 'checkpoints',
  lora_name: 'loras',
  vae_name: 'vae',
  clip_name: 'text_encoders',
  unet_name: 'diffusion_models',
  control_net_name: 'controlnet',
}

export const isMediaName = (value: string): boolean =>
  /^[^\n]{1,240}\.(png|jpe?g|webp|gif|bmp|tiff?|mp4|webm|mov|mkv|avi|m4v|mp3|wav|flac|ogg|opus|m4a|glb|gltf|obj|fbx|stl)$/i.test(
    value,
  )

/** Whether a program fills in a value before it submits. */
export const isTemplate = (value: string): boolean =>
  /^\s*(\{\{.*\}\}|__[A-Z0-9_]+__|%[a-z_]+%|\$\{.*\})\s*$/s.test(value)
