/** A layer that is being made. */
export const NEW_PREFIX = '.new-'
/** One that is being removed. */
export const GONE_PREFIX = '.gone-'

/** The name of a folder that is being made: it shows from its first moment on which process makes it. */
export function newName(ownerMark: string, rest: string): string {
  return `${NEW_PREFIX}${ownerMark}-${rest}`
}

const EXECUTION = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Whether a text is a plain name that a call can have. */
export function isExecutionName(text: string): boolean {
  return EXECUTION.test(text)
}
