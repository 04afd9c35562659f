import { createHash } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AskedQuestion } from '../../../src/journal/entries/entry.ts'
import { bindingOf } from '../../../src/pipeline/approve/agreement.ts'
import type { DrawnQuestion } from '../../../src/pipeline/approve/draw-question.ts'
import { summaryOf } from '../../../src/pipeline/approve/offer.ts'
import type { Engine } from '../../../src/pipeline/engine.ts'
import { drawRequest, ONLY_REQUEST } from '../../../src/terminal/approval-screen.ts'
import { oneLine } from '../../../src/terminal/one-line.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { headline } from '../../../src/terminal/call-headline.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

const SURFACE = { columns: 300, paint: (_style: unknown, text: string): string => text }
const ASKING = { 'tools.run_command.enabled': true, 'tools.shell.ask': 'before' } as const
const PATHS = [
  `ghp_${'aB3dE6gH9jK2mN5p'.repeat(2)}q7R8`,
  'AKIAZ7QX4WN2LK9PTRBV',
  'password=hunter2222',
  'token=abc123XYZ789abc/x',
  'src/sk-proj-AbCd1234EfGh5678IjKl9012MnOp3456/a.txt',
]

describe('a path that looks like a secret', () => {
  it.each(PATHS)('is never hidden in the question, why and the list of grants: %s', async (path) => {
    const b = bench()
    const runtime = await b.open({ durability: 'normal', approve: 'later' })
    await runtime.run([{ id: '1', name: 'write_file', args: { path, content: 'a\n' } }], { session: 's' })
    const [request] = await runtime.pending()
    if (request === undefined) throw new Error('there is no question')
    const drawn = drawRequest(request, { ...ONLY_REQUEST, isWhole: true }, SURFACE).text
    const scope = { kind: 'path', glob: path } as const
    await runtime.decide([request.id], { isApproved: true, scope })
    const [explained] = runtime.why(request.execution)
    const { grants } = await runtime.grants()
    const facts = explained?.gates.map(({ fact }) => fact).join('\n') ?? ''
    const line = headline({ args: { path } })
    for (const text of [request.summary, drawn, line, facts, grants[0]?.sentence ?? '']) {
      expect(text).toContain(path)
      expect(text).not.toContain('[redacted')
    }
  })

  it('does not show a secret that is not part of a path', async () => {
    const runtime = await bench().open({ durability: 'normal', approve: 'later' })
    const cmd = ['echo', PATHS[0] ?? '']
    const args = { cmd, network: true }
    await runtime.run([{ id: '1', name: 'run_shell', args }], { session: 's' })
    const [request] = await runtime.pending()
    if (request === undefined) throw new Error('there is no question')
    const drawn = drawRequest(request, { ...ONLY_REQUEST, isWhole: true }, SURFACE).text
    expect(drawn).toContain('[redacted: GitHub token')
    expect(drawn).not.toContain(PATHS[0])
  })

  /** What a call is asked about, in the question and in a line of the log. */
  async function askedAbout(b: Bench, name: string, args: JsonObject) {
    const runtime = await b.open({ durability: 'normal', approve: 'later', config: ASKING })
    await runtime.run([{ id: '1', name, args }], { session: 's' })
    const [request] = await runtime.pending()
    if (request === undefined) throw new Error('there is no question')
    const drawn = drawRequest(request, { ...ONLY_REQUEST, isWhole: true }, SURFACE).text
    return { request, drawn, line: headline({ args }) }
  }

  const [TOKEN = ''] = PATHS

  it.each<[string, string, JsonObject]>([
    ['the program of a command', 'run_shell', { cmd: [TOKEN, 'x'], network: true }],
    ['the script that a shell is given', 'run_shell', { cmd: ['bash', '-e', TOKEN], network: true }],
    ['a script behind other programs', 'run_shell', { cmd: ['env', 'A=1', 'timeout', '5', 'sh', TOKEN] }],
    ['a script in a script', 'run_shell', { cmd: ['sh', '-c', `cd src && node ${TOKEN}`] }],
    ['the program of a line', 'run_command', { command: `true; ${TOKEN} x` }],
    ['the file that a script writes', 'run_shell', { cmd: ['sh', '-c', `echo x > ${TOKEN}`] }],
    ['the folder of a command', 'run_shell', { cmd: ['ls'], cwd: TOKEN, network: true }],
  ])('is shown as %s, also before it exists', async (_, name, args) => {
    const { request, drawn, line } = await askedAbout(bench({ [`${TOKEN}/x`]: '' }), name, args)
    for (const text of [request.summary, drawn, line]) expect(text).not.toContain('[redacted')
    expect(request.summary).toContain(TOKEN)
    expect(drawn.split(TOKEN).length).toBeGreaterThan(2)
  })

  it.each<[string, JsonObject]>([
    ['a program in a line that is not understood', { cmd: ['sh', '-c', `cd "$HOME" && ${TOKEN} x`] }],
    [
      'a script in a line that is not understood',
      { cmd: ['sh', '-c', `for x in 1; do A=1 sh ${TOKEN}; done`] },
    ],
    ['a file in a line that is not understood', { cmd: ['sh', '-c', `echo $HOME > ${TOKEN}`] }],
    ['what a variable stands for', { cmd: ['sh', '-c', `X=${TOKEN}; $X`] }],
    ['what a variable stands for in a path', { cmd: ['sh', '-c', `export X='${TOKEN}'; sh ./\${X}/run`] }],
    ['what a variable of the call stands for', { cmd: ['sh', '-c', '"$X" now'], env: { X: TOKEN } }],
    ['what a variable before it stands for', { cmd: ['env', `X=${TOKEN}`, 'sh', '-c', '$X'] }],
  ])('is shown as %s', async (_, args) => {
    const { request, drawn } = await askedAbout(bench(), 'run_shell', args)
    for (const text of [request.summary, drawn]) expect(text).not.toContain('[redacted')
    expect(drawn).toContain(TOKEN)
  })

  it.each([
    `curl -H "Authorization: token ${TOKEN}" "$URL"`,
    `TOKEN=${TOKEN}; curl -H "Authorization: token $TOKEN" https://x.test`,
    `for x in 1; do GH_TOKEN=${TOKEN} gh pr list; done`,
  ])('is hidden in a line that is not understood, where it is a secret: %s', async (line) => {
    const { request, drawn } = await askedAbout(bench(), 'run_shell', { cmd: ['sh', '-c', line] })
    for (const text of [request.summary, drawn]) expect(text).not.toContain(TOKEN)
  })

  it.each<[string, readonly string[]]>([
    ['a part of a word', ['tar', `--file=${TOKEN}`]],
    ['a value that a line which is not understood sets', ['sh', '-c', `X=${TOKEN}; rm -rf "$X"`]],
    ['a program in a variable with further words', ['env', `GIT_SSH_COMMAND=${TOKEN} -o x`, 'git', 'fetch']],
    ['a program on PATH', ['env', `GIT_ASKPASS=${TOKEN}`, 'git', 'fetch']],
  ])('is shown as %s if it is there', async (_, cmd) => {
    const place = cmd[0] === 'env' ? `bin/${TOKEN}` : TOKEN
    if (cmd[0] === 'env')
      expect((await askedAbout(bench(), 'run_shell', { cmd: [...cmd] })).drawn).not.toContain(TOKEN)
    const b = bench({ [place]: '#!/bin/sh\n' })
    if (cmd[0] === 'env') chmodSync(join(b.root, place), 0o755)
    vi.stubEnv('PATH', `${process.env['PATH']}:${join(b.root, 'bin')}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const there = await askedAbout(b, 'run_shell', { cmd: [...cmd] })
    expect(there.drawn).toContain(TOKEN)
    expect(there.drawn).not.toContain('[redacted')
  })

  it('is still hidden in the log and in the list of grants if only its name makes it a secret', async () => {
    const line = 'PGPASSWORD=hunter22 psql'
    const runtime = await bench().open({ durability: 'normal', approve: 'later', config: ASKING })
    await runtime.run([{ id: '1', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }], { session: 's' })
    const [request] = await runtime.pending()
    if (request === undefined) throw new Error('there is no question')
    expect(request.summary).toContain('hunter22')
    expect(summaryOf({ summary: request.summary } as AskedQuestion, () => null)).not.toContain('hunter22')
    const { scope } = request.scopes.find(({ scope: { kind } }) => kind === 'arguments') ?? {}
    if (scope === undefined) throw new Error('no arguments are offered')
    await runtime.decide([request.id], { isApproved: true, scope })
    const { grants } = await runtime.grants()
    expect(grants).toHaveLength(1)
    expect(JSON.stringify(grants)).not.toContain('hunter22')
  })

  it('is covered by a yes, also where it is hidden', async () => {
    const [one, other] = [TOKEN, TOKEN.replace('aB3d', 'aB4d')].map((token) => ({ cmd: ['echo', token] }))
    const drawn = [one, other].map((args) => oneLine(JSON.stringify(args)))
    expect(drawn[0]).toBe(drawn[1])
    const question = (args: JsonObject) => ({ call: { id: '1', name: 'run_shell', args } }) as DrawnQuestion
    const engine = { digest: (text: string) => createHash('sha256').update(text).digest('hex') } as Engine
    const [first, second] = [one, other].map((args) => bindingOf(question(args as JsonObject), {}, engine))
    expect(first).not.toBe(second)
  })

  it.each<[string, string, JsonObject]>([
    ['a word of a command', 'run_shell', { cmd: ['rm', '-rf', TOKEN], network: true }],
    ['a word of a script', 'run_shell', { cmd: ['sh', '-c', `rm -rf ${TOKEN}`] }],
    ['a word of a line', 'run_command', { command: `rm -rf ${TOKEN}` }],
    ['a word in the folder of the command', 'run_shell', { cmd: ['rm', TOKEN], cwd: 'sub' }],
    ['an argument of a program', 'run_shell', { cmd: ['sh', 'deploy.sh', TOKEN] }],
    ['what a program reads', 'run_shell', { cmd: ['sh', '-c', `gh auth login --with-token <<< ${TOKEN}`] }],
  ])('is shown as %s, whether it is there or not', async (_, name, args) => {
    for (const files of [{ [`${TOKEN}/x`]: '', [`sub/${TOKEN}`]: '' }, { 'sub/x': '' }]) {
      const { request, drawn } = await askedAbout(bench(files), name, args)
      for (const text of [request.summary, drawn]) {
        expect(text).toContain(TOKEN)
        expect(text).not.toContain('[redacted')
      }
    }
  })

  it.each<[string, string, JsonObject]>([
    ["a word of a shell's input", 'run_shell', { cmd: ['sh'], stdin: `npm run ${TOKEN}` }],
    ['a word in code', 'run_shell', { cmd: ['python3', '-c', `import os; os.system('npm run ${TOKEN}')`] }],
    ['what a variable is set to', 'run_shell', { cmd: ['make'], env: { MAKEFILES: TOKEN } }],
    ['a selector of tests', 'run_tests', { command: ['npm', 'run'], selector: TOKEN }],
    ['an assignment to a word of tests', 'run_tests', { command: ['make'], selector: `token=${TOKEN}` }],
    ['a line that lands', 'write_file', { path: 'GNUmakefile', content: `include ${TOKEN}\n` }],
    ['a script that lands', 'write_file', { path: 'ci.sh', content: `npm run ${TOKEN}\n` }],
  ])('is shown as %s', async (_, name, args) => {
    const { request, drawn } = await askedAbout(bench(), name, args)
    for (const text of [request.summary, drawn]) expect(text).not.toContain('[redacted')
    expect(drawn).toContain(TOKEN)
  })

  it('is shown in what a command would land', async () => {
    const b = bench({ template: `npm run ${TOKEN}\n` })
    const runtime = await b.open({ durability: 'normal', approve: 'later' })
    const args = { cmd: ['cp', 'template', 'ci.sh'] }
    await runtime.run([{ id: '1', name: 'run_shell', args }], { session: 's' })
    const [request] = await runtime.pending()
    if (request === undefined) throw new Error('there is no question')
    const drawn = drawRequest(request, { ...ONLY_REQUEST, isWhole: true }, SURFACE).text
    expect(drawn).toContain(`npm run ${TOKEN}`)
  })

  it('is shown in an edit that puts it into a line', async () => {
    const b = bench({ 'ci.sh': 'npm run x\n' })
    const reader = await b.open({ durability: 'normal' })
    await reader.run([{ id: '1', name: 'read_file', args: { path: 'ci.sh' } }], { session: 's' })
    await reader.close()
    const { drawn } = await askedAbout(b, 'edit_file', { path: 'ci.sh', old: 'x', new: TOKEN })
    expect(drawn).toContain(`npm run ${TOKEN}`)
  })

  it.each<[string, string, JsonObject]>([
    ['in the folder of the call', 'run_shell', { cmd: ['x'], cwd: 'sub', env: { CONFIG_KEY: TOKEN } }],
    ['in the root', 'run_shell', { cmd: ['x'], cwd: 'deep', env: { CONFIG_KEY: `a=${TOKEN}:b` } }],
    ['beside what would change', 'write_file', { path: 'sub/x.ini', content: `ssl_key = ${TOKEN}\n` }],
  ])('is shown also where a value stands, if a file %s has its name', async (where, name, args) => {
    const there = where === 'in the root' ? TOKEN : `sub/${TOKEN}`
    const shown = await askedAbout(bench({ [there]: '', 'deep/x': '' }), name, args)
    expect(shown.drawn).toContain(TOKEN)
    const hidden = await askedAbout(bench({ 'sub/y': '', 'deep/x': '' }), name, args)
    expect(hidden.drawn).toContain('[redacted')
    expect(hidden.drawn).not.toContain(TOKEN)
  })

  it('is shown if there are too many values to look for each of them', async () => {
    const digits = (at: number): string => `${(at * 7919 + 10_007) % 90_000}`.padStart(5, '8')
    const content = Array.from({ length: 80 }, (_, at) => `A_TOKEN=${TOKEN.slice(0, -5)}${digits(at)}\n`)
    const { request, drawn } = await askedAbout(bench(), 'write_file', {
      path: 'x.env',
      content: content.join(''),
    })
    expect(request.diff).toContain(content[79])
    expect(drawn.match(/\[redacted/g) ?? []).toHaveLength(64)
  })

  it('is shown as a file of a patch', async () => {
    const patch = `LP1\nF ${TOKEN}\nT\nnew\n.\nEND\n`
    const { request, drawn } = await askedAbout(bench(), 'apply_patch', { patch })
    for (const text of [request.summary, drawn]) {
      expect(text).toContain(TOKEN)
      expect(text).not.toContain('[redacted')
    }
  })

  it.each<[string, JsonObject]>([
    ['a whole line as one word', { cmd: [`curl -H 'Authorization: token ${TOKEN}' https://x.test`] }],
    ['a variable for a program', { cmd: ['env', `TOKEN=${TOKEN}`, 'node', 'x.js'] }],
    ['code', { cmd: ['node', '-e', `fetch('https://x.test?token=${TOKEN}')`] }],
    ['an option that is named after it', { cmd: ['sh', 'deploy.sh', `--token=${TOKEN}`] }],
    ['a variable of a script', { cmd: ['sh', '-c', `TOKEN=${TOKEN} node x.js`] }],
  ])('is hidden in %s, where it is a secret', async (_, args) => {
    const { request, drawn, line } = await askedAbout(bench(), 'run_shell', args)
    for (const text of [request.summary, drawn, line]) {
      expect(text).not.toContain(TOKEN)
      expect(text).toContain('[redacted')
    }
  })
})
