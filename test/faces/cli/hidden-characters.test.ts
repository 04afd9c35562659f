import { afterAll, describe, expect, it } from 'vitest'
import { makeShop, shopHere } from './command-line.ts'

const shop = makeShop({ 'a.txt': 'a\n' })
afterAll(shop.remove)
const here = shopHere(shop)

/** Whatever steers a terminal or hides on it; line feeds end our own lines. */
const STEERING = /[^\P{C}\n]|[\u2028\u2029]/u

const CHARACTERS = {
  'a bell': '\u0007',
  'a sequence of C0': '\u001b[31m',
  'a return': '\r',
  'the control sequence introducer of C1': '\u009b31m',
  'an operating system command of C1': '\u009d0;title\u009c',
  'a right-to-left override': '\u202e',
  'an isolate': '\u2066',
  'a tag character': '\u{e0041}',
} as const

const LINES: Readonly<Record<string, (text: string) => readonly string[]>> = {
  'a command': (text) => [text],
  'an option': (text) => ['log', `--${text}`],
  'an option with a value': (text) => ['log', `--${text}=1`],
  'an option before any command': (text) => [`--${text}`],
  'a word too many': (text) => ['pending', text],
  'the value of an option': (text) => ['run', 'hello', '--max-tokens', text],
  'the value of a switch': (text) => ['log', `--json=${text}`],
  'a session': (text) => ['call', 'read_file', '{"path":"a.txt"}', '--session', text],
  'a root': (text) => ['log', '--root', `/nowhere/${text}`],
  'a configuration file': (text) => ['log', '--config', `/nowhere/${text}`],
  'a key': (text) => ['log', '--set', `tools.${text}=1`],
  'a setting without a value': (text) => ['log', '--set', text],
  'the value of a key': (text) => ['log', '--set', `tools.mode=${text}`],
  'the value of a numeric key': (text) => ['log', '--set', `tools.retry.max=${text}`],
  'a profile': (text) => ['log', '--profile', text],
  'a preset': (text) => ['log', '--preset', text],
  'a model': (text) => ['run', 'hello', '--model', text],
  'a model of a provider': (text) => ['run', 'hello', '--model', `${text}/${text}`],
  'a script': (text) => ['run', 'hello', '--model', `script:/nowhere/${text}`],
  'a protocol': (text) => ['run', 'hello', '--model', 'script:x', '--protocol', text],
  'a base URL': (text) => ['run', 'hello', '--model', 'compatible/x', '--base-url', text],
  'a tool': (text) => ['call', text, '{}'],
  'the arguments of a tool': (text) => ['call', 'read_file', `{"path":${text}`],
  'a path': (text) => ['call', 'read_file', JSON.stringify({ path: text })],
  'a tool to show': (text) => ['tools', text],
  'a key to explain': (text) => ['config', 'explain', text],
  'a verb': (text) => ['config', text],
  'a verb of audit': (text) => ['audit', text],
  'a call to explain': (text) => ['why', text],
  'an approval': (text) => ['approve', text],
  'a grant': (text) => ['grants', 'revoke', text],
  'something to forget': (text) => ['forget', text],
  'a call to undo': (text) => ['undo', text],
  'a file of calls': (text) => ['batch', `/nowhere/${text}`],
  'a file for the policy': (text) => ['policy', 'check', `/nowhere/${text}`],
}

describe.each(Object.entries(LINES))('%s', (_where, line) => {
  it.for(Object.entries(CHARACTERS))('with %s is shown without it', async ([, character]) => {
    const { out, err } = await here.tongs(line(`evil${character}end`))
    expect(`${out}${err}`).toMatch(/\w/)
    expect(STEERING.exec(`${out}${err}`)).toBeNull()
  })
})
