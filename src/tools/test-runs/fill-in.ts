import { failure } from '../../core/error.ts'

/** Where the selector goes in a configured command. */
export const PLACEHOLDER = '{selector}'

/**
 * Inserts a selector into a configured command. Without a placeholder it becomes the last word, and then it must not
 * look like an option.
 */
export function fillIn(command: readonly string[], selector: string | null): readonly string[] {
  if (command.some((word) => word.includes(PLACEHOLDER)))
    return selector === null
      ? command.filter((word) => !word.includes(PLACEHOLDER))
      : command.map((word) => requireValue(word, selector))
  if (selector === null) return command
  return [...command, requireNoOption(selector, `Put ${PLACEHOLDER} where it goes into the command.`)]
}

function requireValue(word: string, selector: string): string {
  return word === PLACEHOLDER
    ? requireNoOption(selector, `Write the option and its value as one word, as in --filter=${PLACEHOLDER}.`)
    : word.replaceAll(PLACEHOLDER, () => selector)
}

function requireNoOption(selector: string, advice: string): string {
  if (!selector.startsWith('-')) return selector
  throw failure(
    'bad_args',
    'The selector begins with a hyphen, so this command would take it for an option.',
    { argument: 'selector' },
    [advice],
  )
}
