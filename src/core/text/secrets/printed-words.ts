import { redactSecrets } from './redact.ts'
import { nameKindOf, REDACTED } from './secret-names.ts'

/** An address without its query, which often holds a key; any other text without what looks like a secret. */
export function printedAddress(text: string): string {
  const url = /^https?:/i.test(text) ? URL.parse(text) : null
  if (url === null || (url.search === '' && url.hash === '')) return redactSecrets(text)
  return `${redactSecrets(`${url.origin}${url.pathname}`)}${url.search === '' ? '#' : '?'}…`
}

/** The words of a command; what follows an option that is named like a secret is hidden, whatever it looks like. */
export function printedWords(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? ''
    if (!word.startsWith('-') && before.startsWith('-') && isSecretOption(before)) return REDACTED
    const [option = '', ...rest] = word.split('=')
    if (rest.length > 0 && isSecretOption(option)) return `${option}=${REDACTED}`
    return printedAddress(word)
  })
}

/** An option such as `--api-key`, or a variable such as `API_KEY` in front of a sign. */
function isSecretOption(word: string): boolean {
  return /^(?:--?)?[A-Za-z][\w.-]*$/.test(word) && nameKindOf(word.replace(/^-+/, '')) !== undefined
}
