// The partners behind the proxy, as data: what each makes, where its answers have the status of a task, in which words, and
// where they have the result. Places are paths of members in JSON, with dots; a number is a place in a list.

export type Partner = {
  /** The paths of the partner: this one, and all below it. */
  readonly at: string
  /** The ending of the files that it makes. */
  readonly makes: 'png' | 'svg' | 'mp4' | 'mp3'
  /** A task that the client polls, JSON with the result, or the bytes of the result. */
  readonly answers: 'task' | 'json' | 'bytes'
  /** Where a task has its status. */
  readonly status?: string
  /** The words of a status in the order of a task: waiting, running, done, cancelled. */
  readonly words?: readonly [string, string, string, string]
  /** Where the link to the result is. */
  readonly link?: readonly string[]
  /** Where the result is itself, in base64. */
  readonly inline?: string
}

/** Where clients look for the link and for the status of a task, if their partner is not one of the table. */
const anyTask = {
  answers: 'task',
  status: 'status',
  words: ['queued', 'running', 'succeeded', 'cancelled'],
} as const
const anyLink = ['output.0', 'result.sample', 'video.url'] as const

const linked = (at: string, makes: Partner['makes'] = 'png'): Partner => ({
  at,
  makes,
  answers: 'json',
  link: ['data.0.url', 'image.url'],
})

/** The first partner whose paths have the path of a request is the one that answers. */
export const partners: readonly Partner[] = [
  {
    at: '/proxy/bfl',
    makes: 'png',
    answers: 'task',
    status: 'status',
    words: ['Pending', 'Pending', 'Ready', 'Task not found'],
    link: ['result.sample'],
  },
  {
    at: '/proxy/kling/v1/images',
    makes: 'png',
    answers: 'task',
    status: 'data.task_status',
    words: ['submitted', 'processing', 'succeed', 'failed'],
    link: ['data.task_result.images.0.url'],
  },
  {
    at: '/proxy/kling',
    makes: 'mp4',
    answers: 'task',
    status: 'data.task_status',
    words: ['submitted', 'processing', 'succeed', 'failed'],
    link: ['data.task_result.videos.0.url'],
  },
  {
    at: '/proxy/luma/generations/image',
    makes: 'png',
    answers: 'task',
    status: 'state',
    words: ['queued', 'dreaming', 'completed', 'failed'],
    link: ['assets.image'],
  },
  {
    at: '/proxy/luma',
    makes: 'mp4',
    answers: 'task',
    status: 'state',
    words: ['queued', 'dreaming', 'completed', 'failed'],
    link: ['assets.video'],
  },
  {
    at: '/proxy/minimax',
    makes: 'mp4',
    answers: 'task',
    status: 'status',
    words: ['Queueing', 'Processing', 'Success', 'Fail'],
    link: ['file.download_url'],
  },
  {
    at: '/proxy/runway/text_to_image',
    makes: 'png',
    answers: 'task',
    status: 'status',
    words: ['PENDING', 'RUNNING', 'SUCCEEDED', 'CANCELLED'],
    link: ['output.0'],
  },
  {
    at: '/proxy/runway',
    makes: 'mp4',
    answers: 'task',
    status: 'status',
    words: ['PENDING', 'RUNNING', 'SUCCEEDED', 'CANCELLED'],
    link: ['output.0'],
  },
  {
    at: '/proxy/moonvalley',
    makes: 'mp4',
    answers: 'task',
    status: 'status',
    words: ['pending', 'in_progress', 'completed', 'error'],
    link: ['output_url'],
  },
  {
    at: '/proxy/pika',
    makes: 'mp4',
    answers: 'task',
    status: 'status',
    words: ['queued', 'started', 'finished', 'cancelled'],
    link: ['url'],
  },
  {
    at: '/proxy/vidu',
    makes: 'mp4',
    answers: 'task',
    status: 'state',
    words: ['created', 'processing', 'success', 'failed'],
    link: ['creations.0.url'],
  },
  {
    at: '/proxy/xai/v1/videos',
    makes: 'mp4',
    answers: 'task',
    status: 'status',
    words: ['pending', 'pending', 'done', 'expired'],
    link: ['video.url'],
  },
  {
    at: '/proxy/byteplus/api/v3/contents',
    makes: 'mp4',
    answers: 'task',
    status: 'status',
    words: ['queued', 'running', 'succeeded', 'cancelled'],
    link: ['content.video_url'],
  },
  linked('/proxy/openai/images'),
  linked('/proxy/ideogram'),
  linked('/proxy/recraft/images/vectorize', 'svg'),
  linked('/proxy/recraft'),
  linked('/proxy/xai/v1/images'),
  linked('/proxy/byteplus/api/v3/images'),
  { at: '/proxy/reve', makes: 'png', answers: 'json', inline: 'image' },
  {
    at: '/proxy/vertexai/gemini',
    makes: 'png',
    answers: 'json',
    inline: 'candidates.0.content.parts.0.inlineData.data',
  },
  { at: '/proxy/elevenlabs', makes: 'mp3', answers: 'bytes' },
  { at: '/proxy/fishaudio', makes: 'mp3', answers: 'bytes' },
  { at: '/proxy/ltx', makes: 'mp4', answers: 'bytes' },
  { at: '/proxy', makes: 'png', ...anyTask, link: anyLink },
]
