import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/core/json/value.ts'
import { placesIn } from '../../../../src/core/text/secrets/places.ts'
import { redactForApproval } from '../../../../src/core/text/secrets/redact.ts'
import { hiddenAmong, namesAmong } from '../../../../src/core/text/secrets/shown-names.ts'

const TOKEN = `ghp_${'aB3dE6gH9jK2mN5p'.repeat(2)}q7R8`
const RANDOM = 'kX9vQ2pLm7RtY4sW8zN3bH6jD1fG5cA0eUiOqTyB'
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${RANDOM}abc`

/** A text of a call as a question shows it. */
const shown = (text: string): string => redactForApproval(text, { places: placesIn({ content: text }) })
const shownCall = (args: JsonObject): string =>
  redactForApproval(JSON.stringify(args), { places: placesIn(args) })

describe('what looks like a secret in a text that a question shows', () => {
  it.each([TOKEN, RANDOM])('is shown where it may be a name: %s', (value) => {
    for (const text of [
      `npm run ${value}`,
      `include ${value}\n`,
      `-include ${value}`,
      `import os; os.system('npm run ${value}')`,
      `spawn("npm", ["run", "${value}"])`,
      `{"scripts":{"test":"node ${value}"}}`,
      `test: ${value}`,
      `main = "${value}"`,
      `npm run token:${value}`,
      `make x token=${value}`,
      `if (token == "${value}") {}`,
      `npm run \\\n${value}\n`,
      `run: npm run\n  ${value}\n`,
      `author ${value}`,
    ])
      expect(shown(text)).toBe(text)
  })

  it.each([TOKEN, RANDOM, JWT])('is hidden where only a value can stand: %s', (value) => {
    for (const text of [
      `GITHUB_TOKEN=${value}\n`,
      `export API_KEY="${value}"`,
      `+  token: ${value}`,
      `-token: '${value}'`,
      `{"client_secret":"${value}"}`,
      `const apiKey = '${value}'`,
      `{ password => "${value}" }`,
      `TOKEN := ${value}`,
      `Authorization: Bearer ${value}`,
      `{headers: {"Authorization": "token ${value}"}}`,
      `https://a.test/x?access_token=${value}&y`,
      `https://ada:${value}@git.test/x`,
      `--token=${value}`,
      `session: ${value}`,
      `cookie = "${value}"`,
      `@@ -1 +1 @@\n-${TOKEN.replace('aB', 'cD')}\n+${value}\n`,
      `${value}\n`,
    ])
      expect(shown(text)).toContain('[redacted: ')
  })

  it('is shown everywhere if it stands for a name somewhere', () => {
    const text = `TOKEN=${TOKEN}\nnpm run ${TOKEN}\n`
    expect(shown(text)).toBe(text)
  })

  it.each([
    `TOKEN=${TOKEN}\nnpm run $TOKEN`,
    `TOKEN=${TOKEN}\nnpm run \${TOKEN}`,
    `TOKEN = ${TOKEN}\nall:\n\tnpm run $(TOKEN)`,
    `env:\n  TOKEN: ${TOKEN}\nrun: npm run \${{ env.TOKEN }}`,
    `set TOKEN=${TOKEN}\nnpm run %TOKEN%`,
    `token = '${TOKEN}'\nos.system('npm run ' + token)`,
    `const a = { token: '${TOKEN}' }; run(a.token)`,
  ])('is shown where a variable stands for it: %s', (text) => {
    expect(shown(text)).toBe(text)
  })

  it.each<[string, JsonObject]>([
    ['a selector', { command: ['npm', 'run'], selector: TOKEN }],
    ['any argument', { anything: TOKEN, deep: [{ code: `run(${TOKEN})` }] }],
    ['the name of an argument', { [TOKEN]: 1 }],
    ['an environment', { cmd: ['make'], env: { MAKEFILES: TOKEN, X: `--token=${TOKEN}` } }],
    ['an environment that code reads', { cmd: ['node', '-e', 'run(process.env.TOKEN)'], env: { TOKEN } }],
    ['a setting that code reads', { cmd: ['env', `TOKEN=${TOKEN}`, 'node', '-e', 'run(process.env.TOKEN)'] }],
    ['an environment that the input uses', { cmd: ['sh'], stdin: 'npm run $TOKEN', env: { TOKEN } }],
    ['the input of a shell', { cmd: ['env', 'sh', '-s'], stdin: TOKEN }],
    ['an assignment in the input of a shell', { cmd: ['sh'], stdin: `make token=${TOKEN}` }],
    ['the input of a program that runs another', { cmd: ['xargs', 'npm', 'run'], stdin: TOKEN }],
    ['code', { cmd: ['python3', '-c', `import os; os.system('npm run ${TOKEN}')`] }],
    ['code without blanks', { cmd: ['node', '-e', `run('a://b','${TOKEN}')`] }],
    ['code in a script', { cmd: ['sh', '-c', `node -e "run('npm run ${TOKEN}')"`] }],
    ['long code', { cmd: ['node', '-e', `${'run();'.repeat(60)}run('${TOKEN}')`] }],
    ['the code of a line', { command: `node -e "run('npm run ${TOKEN}')"` }],
    ['a secret that is several words', { token: `npm run ${TOKEN}` }],
  ])('is shown in %s', (_, args) => {
    expect(shownCall(args)).toContain(TOKEN)
    expect(shownCall(args)).not.toContain('[redacted')
  })

  it.each<[string, JsonObject]>([
    ['a variable that is named so', { cmd: ['npm', 'publish'], env: { NPM_TOKEN: TOKEN } }],
    ['an argument that is named so', { api_key: TOKEN }],
    ['what a program reads', { cmd: ['gh', 'auth', 'login', '--with-token'], stdin: `${TOKEN}\n` }],
    ['a variable of a shell', { cmd: ['sh'], stdin: `GITHUB_TOKEN=${TOKEN} gh pr list\n` }],
    ['a header in code', { cmd: ['node', '-e', `get(u, {headers: {"Authorization": "Bearer ${TOKEN}"}})`] }],
  ])('is hidden in %s', (_, args) => {
    expect(shownCall(args)).not.toContain(TOKEN)
  })

  it('keeps private keys and hashes of passwords hidden wherever they stand', () => {
    const text = `useradd -p '$6$abcdefgh$${RANDOM}' ada`
    expect(shown(text)).not.toContain(RANDOM)
  })

  it('is found in linear time in megabytes of lines, words and values', () => {
    const value = (at: number): string => `ghp_${at.toString(36).padStart(8, 'x7Q')}${RANDOM.slice(0, 28)}`
    const many = Array.from({ length: 1_000 }, (_, at) => value(at))
    for (const text of [
      many.join('\n'),
      many.map((one) => `TOKEN=${one}`).join('\n'),
      many.map((one, at) => `T${at}_TOKEN=${one}`).join('\n'),
      many.map((one) => `run ${one}`).join('\n'),
      'a '.repeat(500_000) + TOKEN,
      'token'.repeat(200_000) + `=${TOKEN}`,
      `${'"token": '.repeat(100_000)} ${TOKEN}`,
    ]) {
      const started = performance.now()
      shown(text)
      expect(performance.now() - started).toBeLessThan(10_000)
    }
  })

  it('names words that may be files, each once and with its parts', () => {
    const hidden = hiddenAmong([`x --file=a-${TOKEN}`, `TOKEN=${TOKEN}`], new Set())
    expect([...(hidden.get(TOKEN) ?? [])]).toEqual(expect.arrayContaining([TOKEN, `a-${TOKEN}`]))
    expect(hiddenAmong([TOKEN], new Set([TOKEN])).size).toBe(0)
    expect(namesAmong([{ text: TOKEN, as: 'words' }])).toEqual([])
  })
})
