import type { GitSetting } from '../git-setting.ts'
import { gitWordsOf, shellWordsOf } from './shell-words.ts'

/** Whether a value is worth taking apart. */
const GIVES = /(?:^|[\s"'])-(?:c|-(?:config|exec-path|template))/
/** An option with its value in the same word. */
const JOINED = /^(--(?:config|config-env|exec-path|template))=(.*)$|^(-c)(.+)$/s
/** A setting as the word behind `-c` says it. */
const ASSIGNED = /^([A-Za-z][\w-]*)((?:\..*?)?)\.([A-Za-z][\w-]*)=(.*)$/s
const MAKES_REPOSITORY = /^(?:init|clone)$/

/**
 * The settings that a command line in a setting gives to git: behind `-c` and the like, wherever they stand. They hold
 * whenever it runs, so what they name is named as if they were in the file themselves.
 */
export function findGivenSettings(setting: GitSetting): readonly GitSetting[] {
  if (!GIVES.test(setting.value)) return []
  const isGitLine = setting.key.startsWith('alias.') && !setting.value.startsWith('!')
  const own = isGitLine ? gitWordsOf(setting.value) : shellWordsOf(setting.value.replace(/^!/, ''))
  // A shell may be given a line as a word.
  const words = own.flatMap((word) => (/\s/.test(word) ? [word, ...shellWordsOf(word)] : [word]))
  const give = (key: string, value: string): readonly GitSetting[] => [
    { key, value, file: setting.file, givenBy: setting.key },
  ]
  const giveAssigned = (text: string, read: (value: string) => string = (value) => value) => {
    const [, section = '', subsection = '', name = '', value = ''] = ASSIGNED.exec(text) ?? []
    return section === ''
      ? []
      : give(`${section.toLowerCase()}${subsection}.${name.toLowerCase()}`, read(value))
  }
  return words.flatMap((word, position): readonly GitSetting[] => {
    const joined = JOINED.exec(word)
    const option = joined?.[1] ?? joined?.[3] ?? word
    const beside = joined?.[2] ?? joined?.[4]
    const value = beside ?? words[position + 1] ?? ''
    switch (option) {
      case '-c':
      case '--config':
        return giveAssigned(value)
      case '--config-env':
        return giveAssigned(value, (variable) => process.env[variable] ?? '')
      case '--exec-path':
        return beside === undefined ? [] : give('GIT_EXEC_PATH', beside)
      case '--template':
        return words.some((one) => MAKES_REPOSITORY.test(one)) ? give('init.templatedir', value) : []
      default:
        return []
    }
  })
}
