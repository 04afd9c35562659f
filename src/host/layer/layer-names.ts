/** A layer that is being made. */
export const NEW_PREFIX = '.new-'
/** One that is being removed. */
export const GONE_PREFIX = '.gone-'

const EXECUTION = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Whether a text is a plain name that a call can have. */
export function isExecutionName(text: string): boolean {
  return EXECUTION.test(text)
}
