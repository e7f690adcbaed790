// What tests run in the page of a front end: each function is sent there as it is written, and uses nothing from outside.

// The globals of the page and of its front end. The suites are compiled without those of browsers.
declare const app: any
declare const LiteGraph: any
declare const document: any
declare const createImageBitmap: any
declare const OffscreenCanvas: any
declare const localStorage: any
declare const sessionStorage: any

/** Whether the page shows a workflow, and is connected. */
export const isReady = (): boolean =>
  (globalThis as { app?: any }).app?.graph?._nodes?.length > 0 && app.api?.clientId !== undefined

/** Removes what the front end keeps in the browser. */
export const forget = (): void => {
  localStorage.clear()
  sessionStorage.clear()
}

/** Whether the title of the page matches. */
export const hasTitle = (pattern: string): boolean => new RegExp(pattern).test(document.title)

/** The value of a widget of the first node of a type. */
export const widgetValue = (asked: { readonly type: string; readonly name: string }): unknown => {
  const node = app.graph._nodes.find(({ type }: any) => type === asked.type)
  return node.widgets.find(({ name }: any) => name === asked.name).value
}

/** The address of the picture that a node shows, if it contains this part and is not the one before. */
export const shownPicture = (
  asked: Readonly<Record<'type' | 'part' | 'before', string>>,
): string => {
  const node = app.graph._nodes.find(({ type }: any) => type === asked.type)
  // It draws on its canvas only when something changes.
  app.canvas.setDirty(true, true)
  const { src = '', naturalWidth = 0 } = node.imgs?.[0] ?? {}
  return naturalWidth > 0 && src.includes(asked.part) && src !== asked.before ? `${src}` : ''
}

export const cutLatent = (): void => {
  app.graph._nodes.find(({ type }: any) => /^Empty.*Latent/.test(type)).disconnectOutput(0)
}

export const loadImageOnly = (): void => {
  app.graph.clear()
  const [image, preview] = ['LoadImage', 'PreviewImage'].map((type) => LiteGraph.createNode(type))
  image.pos = [300, 200]
  preview.pos = [700, 200]
  app.graph.add(image)
  app.graph.add(preview)
  image.connect(0, preview, 0)
  app.canvas.setDirty(true, true)
}

/** The middle of the button that opens the choice of a file. */
export const uploadButton = (): { readonly x: number; readonly y: number } => {
  const node = app.graph._nodes.find(({ type }: any) => type === 'LoadImage')
  const { y } = node.widgets.find(({ name }: any) => name === 'upload')
  const middle = [node.pos[0] + node.size[0] / 2, node.pos[1] + y + 10]
  const [left, top] = app.canvas.ds.convertOffsetToCanvas(middle)
  const place = app.canvas.canvas.getBoundingClientRect()
  return { x: place.left + left, y: place.top + top }
}

export const blueSquare = (): string => {
  const canvas = document.createElement('canvas')
  canvas.width = 256
  canvas.height = 256
  const context = canvas.getContext('2d')!
  context.fillStyle = '#36c'
  context.fillRect(0, 0, 256, 256)
  return canvas.toDataURL('image/png').split(',')[1] ?? ''
}

export const openMaskEditor = (): void => {
  const node = app.graph._nodes.find(({ type }: any) => type === 'LoadImage')
  app.canvas.selectNode(node)
  app.extensionManager.command.execute('Comfy.MaskEditor.OpenMaskEditor')
}

export const setText = (text: string): void => {
  const node = app.graph._nodes.find(({ type }: any) => type === 'CLIPTextEncode')
  node.widgets.find(({ name }: any) => name === 'text').value = text
}

/** The least and the most opaque pixel of a picture. */
export const alphaAt = async (source: string): Promise<{ least: number; most: number }> => {
  const bitmap = await createImageBitmap(await (await fetch(source)).blob())
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
  context.drawImage(bitmap, 0, 0)
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
  const alphas = Array.from({ length: data.length / 4 }, (_, at) => data[at * 4 + 3] ?? 0)
  return { least: Math.min(...alphas), most: Math.max(...alphas) }
}
