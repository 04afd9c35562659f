import { readFileSync } from 'node:fs'

export const LANGUAGES = ['de', 'en']

/** The texts of a language, by the name of the message. */
export function textsOf(language) {
  return JSON.parse(readFileSync(new URL(`../texts/${language}.json`, import.meta.url), 'utf8'))
}

/** The subject of a mail. */
export function subjectOf(message, language) {
  const text = textsOf(language)[message]
  if (text === undefined) throw new RangeError(`there is no message ${message} in ${language}`)
  return text
}
