/** The commands of the terminal app. A file of the same name never takes the place of one, in no face. */
export const BUILT_IN_NAMES = [
  'help',
  'undo',
  'redo',
  'tools',
  'rules',
  'context',
  'skills',
  'background',
  'tasks',
  'why',
  'log',
  'show',
  'copy',
  'grants',
  'new',
  'resume',
  'fork',
  'compact',
  'rename',
  'init',
  'model',
  'setup',
  'preset',
  'session',
  'tool',
  'pending',
  'recover',
  'clear',
  'quit',
] as const

/** The name of one; a command of the app without a row above does not compile. */
export type BuiltInName = (typeof BUILT_IN_NAMES)[number]

const RESERVED: ReadonlySet<string> = new Set(BUILT_IN_NAMES)

/** Whether a name belongs to the app; upper case would only look different. */
export function isBuiltInName(name: string): boolean {
  return RESERVED.has(name.toLowerCase())
}
