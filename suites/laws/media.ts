// The media types of files by their names and by how their bytes begin.

/** By the extension of a name. */
const byExtension: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  mp4: 'video/mp4',
  webm: 'video/webm',
  flac: 'audio/flac',
  mp3: 'audio/mpeg',
}

/** How the files of a type begin, each byte a character; a dot stands for any. */
const beginnings: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/webp': /^RIFF[^]{4}WEBP/,
  'image/gif': /^GIF8[79]a/,
  'video/mp4': /^[^]{4}ftyp/,
  'video/webm': /^\x1aE\xdf\xa3/,
  'audio/flac': /^fLaC/,
  'audio/mpeg': /^(?:ID3|\xff[\xe0-\xff])/,
}

/** The media type that the name of a file stands for; undefined for an unknown extension. */
export const typeOfName = (name: string): string | undefined =>
  byExtension[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '']

/** Whether bytes begin like a file of a type. Types without a known beginning fit any. */
export function isOf(type: string, bytes: Uint8Array): boolean {
  const beginning = beginnings[type]
  return beginning === undefined || beginning.test(String.fromCharCode(...bytes.subarray(0, 16)))
}
