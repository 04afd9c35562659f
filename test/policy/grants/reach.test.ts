import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, PermissionAnswer } from '../../../src/core/approval.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { isRemadeByRule } from '../../../src/tools/test-runners/remade-makefile.ts'
import { benchAskingBefore } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

const PROJECT = {
  'package.json': '{"scripts":{"test":"node --test"}}',
  'test/a.test.js': "require('node:test')('adds', () => {})\n",
  'sub/a.txt': 'a\n',
  'sub/package.json': '{"scripts":{"test":"node --test"}}',
  'sub/b.test.js': "require('node:test')('b', () => {})\n",
  deploy: 'gone live\n',
  'scripts/run.js': '',
}

/** Grants a scope when the first call is asked about, then gives which of the others are asked about. */
async function asksAbout(
  b: Bench,
  name: string,
  given: { readonly args: JsonObject; readonly kind: string },
  others: readonly { readonly args: JsonObject; readonly meta?: JsonObject }[],
): Promise<readonly boolean[]> {
  const asked: ApprovalRequest[] = []
  let isGranting = true
  const approve = (requests: readonly ApprovalRequest[]): readonly PermissionAnswer[] =>
    requests.map((request) => {
      asked.push(request)
      const scope = request.scopes.find((one) => one.scope.kind === given.kind)?.scope
      if (!isGranting) return { answer: 'deny' }
      if (scope === undefined) throw new Error(`no ${given.kind} was offered`)
      return { answer: 'scope', scope }
    })
  const runtime = await b.open({ approve })
  await runtime.run([{ id: 'first', name, args: given.args }])
  isGranting = false
  const found: boolean[] = []
  for (const { args, meta } of others) {
    const before = asked.length
    await runtime.run([{ id: 'c', name, args, ...(meta === undefined ? {} : { meta }) }])
    found.push(asked.length > before)
  }
  return found
}

/** Allows the tests of a project for good. */
async function grantTests(b: Bench): Promise<void> {
  const runtime = await b.open({
    durability: 'normal',
    approve: (requests) => requests.map(() => ({ answer: 'scope', scope: { kind: 'tool' } })),
  })
  await runtime.run([{ id: 'first', name: 'run_tests', args: {} }])
  await runtime.close()
}

/** The questions that a person is asked if the tests are to run. */
async function askedAboutTests(
  b: Bench,
  selector: string | null = 'adds',
  options: Partial<RuntimeOptions> = {},
): Promise<readonly ApprovalRequest[]> {
  const asked: ApprovalRequest[] = []
  const runtime = await b.open({
    durability: 'normal',
    ...options,
    approve: (requests) => {
      asked.push(...requests)
      return requests.map(() => 'deny')
    },
  })
  await runtime.run([{ id: 'again', name: 'run_tests', args: selector === null ? {} : { selector } }])
  await runtime.close()
  return asked
}

describe('how far a grant reaches', () => {
  it('tests that may always run are those of the project, with a plain selector', async () => {
    const calls = [
      { args: {} },
      { args: { selector: 'adds' } },
      { args: { selector: 'test/a.test.js' } },
      { args: { selector: '^adds$' } },
      { args: { command: ['sh', '-c', 'echo evil'] } },
      { args: { command: ['node', '--test'], selector: 'adds' } },
      { args: { selector: 'evil.js' } },
      { args: { selector: 'scripts/latest.js' } },
      { args: { selector: 'bin/deploy' } },
      { args: { selector: 'test/../evil.js' } },
      { args: { selector: '-x' } },
      { args: { selector: 'a --require=./evil' } },
      { args: { selector: 'a; ./evil' } },
      { args: { selector: '$(./evil)' } },
      { args: {}, meta: { cwd: 'sub' } },
      { args: { network: true } },
      { args: { selector: 'deploy' } },
      { args: { selector: 'scripts' } },
      { args: { selector: '@args::x' } },
      { args: { selector: 'deploy::x' } },
      { args: { selector: 'a @args' } },
      { args: { selector: 'test/a.test.js::x' } },
    ]
    expect(
      await asksAbout(benchAskingBefore(PROJECT), 'run_tests', { args: {}, kind: 'tool' }, calls),
    ).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      false,
    ])
  })

  it('a program of the project that would be started in the place of another is asked about', async () => {
    // The folder of the programs is there from the start, so that only what is found in it differs.
    const b = benchAskingBefore({ ...PROJECT, 'node_modules/.bin/other': '' })
    const granting = await b.open({
      durability: 'normal',
      approve: (requests) => requests.map(() => ({ answer: 'scope', scope: { kind: 'tool' } })),
    })
    await granting.run([{ id: 'first', name: 'run_tests', args: {} }])
    await granting.close()
    expect(await askedAboutTests(b)).toEqual([])
    writeFileSync(join(b.root, 'node_modules', '.bin', 'node'), '#!/bin/sh\n', { mode: 0o755 })
    expect((await askedAboutTests(b)).length).toBe(1)
  })

  it.each([
    [
      'with a variable in front',
      { ...PROJECT, 'package.json': '{"scripts":{"test":"NODE_OPTIONS=--no-warnings node --test"}}' },
    ],
    ['by a script', { 'package.json': '{"scripts":{"test":"node check.js"}}' }],
  ])('so is one that is started %s', async (_how, files) => {
    const b = benchAskingBefore({
      ...files,
      'check.js': '',
      'node_modules/.bin/other': '',
    })
    await grantTests(b)
    expect(await askedAboutTests(b, null)).toEqual([])
    writeFileSync(join(b.root, 'node_modules', '.bin', 'node'), '#!/bin/sh\n', { mode: 0o755 })
    expect((await askedAboutTests(b, null)).length).toBe(1)
  })

  it.each([
    ['its script', 'package.json', '{"scripts":{"test":"node deploy.js"}}'],
    ['what runs before', 'package.json', '{"scripts":{"test":"node check.js","pretest":"node deploy.js"}}'],
  ])('a test script is asked about again if %s has changed', async (_what, name, text) => {
    const b = benchAskingBefore({ 'package.json': '{"scripts":{"test":"node check.js"}}', 'check.js': '' })
    await grantTests(b)
    expect(await askedAboutTests(b, null)).toEqual([])
    writeFileSync(join(b.root, name), text)
    const [asked] = await askedAboutTests(b, null)
    expect(asked?.scopes.map(({ sentence }) => sentence)).toContainEqual(expect.stringContaining('deploy.js'))
  })

  it.each([
    [
      'a script with the words of the placeholder',
      'package.json',
      '{"scripts":{"test":"node check.js","pretest":"node deploy.js # no test specified"}}',
    ],
  ])('so it is if there is %s', async (_what, name, text) => {
    const b = benchAskingBefore({ 'package.json': '{"scripts":{"test":"node check.js"}}', 'check.js': '' })
    await grantTests(b)
    expect(await askedAboutTests(b, null)).toEqual([])
    writeFileSync(join(b.root, name), text)
    expect((await askedAboutTests(b, null)).length).toBe(1)
  })

  it.each([
    ['before it, whose target is not plain', 'GNUmakefile', 'T = test\n$(T):\n\ttouch deployed\n'],
    ['before it', 'makefile', 'test:\n\ttouch deployed\n'],
    ['before it, which is too large', 'GNUmakefile', `test:\n\ttouch deployed\n${'#'.repeat(3_000_000)}`],
    ['from which make makes it', 'Makefile.sh', 'test:\n\ttouch deployed\n'],
  ])('no grant for a makefile holds if there is one %s', async (_what, name, text) => {
    const b = benchAskingBefore({ Makefile: 'test:\n\ttrue\n' })
    await grantTests(b)
    // Control: without it, the grant holds.
    expect(await askedAboutTests(b, null)).toEqual([])
    writeFileSync(join(b.root, name), text)
    const runtime = await b.open({ durability: 'normal' })
    const [result] = await runtime.run([{ id: 'again', name: 'run_tests', args: {} }])
    expect(result?.ok).toBe(false)
  })

  it('nor does one if what make makes it from has changed', async () => {
    const b = benchAskingBefore({ Makefile: 'test:\n\ttrue\n', 'Makefile.sh': 'test:\n\ttrue\n' })
    await grantTests(b)
    expect(await askedAboutTests(b, null)).toEqual([])
    writeFileSync(join(b.root, 'Makefile.sh'), 'test:\n\ttouch deployed\n')
    expect((await askedAboutTests(b, null)).length).toBe(1)
  })

  it('a makefile that make takes from older versions is asked about each time', async () => {
    const b = benchAskingBefore({ Makefile: 'test:\n\ttrue\n', 'RCS/Makefile,v': 'x' })
    await grantTests(b)
    const [asked] = await askedAboutTests(b, null)
    expect(asked?.scopes.map(({ scope }) => scope.kind)).not.toContain('tool')
  })

  it('one with rules for other files, and makefiles of other folders, is asked about once', async () => {
    const rules =
      'T := a b\n.PHONY: Makefile test\n%.o: %.c\n\tcc $<\n# Makefile: x\ntest: Makefile\n\ttrue\n' +
      'SRC = a.c b.c\nSRC += c.c\nOUT ?= out\nOBJ := $(SRC:.c=.o)\nexport OUT\n$(OBJ) $(OUT)/x: %.o: %.c\n\techo $@: Makefile:\n' +
      'ifeq ($(OUT),x)\nDIR = ${OUT}/y\nelse\nDIR = z\nendif\n$(DIR): $(OBJ) ; mkdir -p $@\nclean: FLAGS = -x\nclean:\n\trm -rf *\n'
    const b = benchAskingBefore({ Makefile: rules, 'makefiles/local.mk': '' })
    await grantTests(b)
    expect(await askedAboutTests(b, null)).toEqual([])
  })

  it.each([
    '-include local.mk\ntest:\n\ttrue\n',
    'X := $(shell cat x)\ntest:\n\ttrue\n',
    'test:\n\t$(MAKE) -C sub\n',
    'test:\n\tmake -f other.mk\n',
    '$(eval $(file <x))\ntest:\n\ttrue\n',
    'sinclude local.mk\ntest:\n\ttrue\n',
    '.dinclude "local.mk"\ntest:\n\ttrue\n',
    '-load x.so\ntest:\n\ttrue\n',
    'X != cat x\ntest:\n\t$(X)\n',
    'test:\n\tgmake -f other.mk\n',
    'Makefile: x\n\tcp x Makefile\ntest:\n\ttrue\n',
    'test:\n\ttrue\nmakefile \\\n ./Makefile :: x\n\tcp x $@\n',
    '%: x/%\n\tcp $< $@\ntest:\n\ttrue\n',
    'Make%: %.x\n\tcp $< $@\ntest:\n\ttrue\n',
    'M = Makefile\n$(M): x\n\tcp x $@\ntest:\n\ttrue\n',
    'A = x y\nM := $A\nM += Make\nB = $M${C}\nC = file\n$B: z\n\tcp z Makefile\ntest:\n\ttrue\n',
    'E =\nMake$(E)file: x\n\tcp x $@\ntest:\n\ttrue\n',
    'M = x.in Make.in\n$(M:.in=file): x\n\tcp x $@\ntest:\n\ttrue\n',
    'M = x.in Make.in\n$(M:%.in=%file): x\n\tcp x $@\ntest:\n\ttrue\n',
    'R = Makefile: x\n$(R)\n\tcp x $@\ntest:\n\ttrue\n',
    '$(FROM_OUTSIDE): x\n\tcp x $@\ntest:\n\ttrue\n',
    'Makefil*: x\n\tcp x $@\ntest:\n\ttrue\n',
    '[M]akefil?: x\n\tcp x $@\ntest:\n\ttrue\n',
    './/Makefile a=b &: x\n\tcp x $@\ntest:\n\ttrue\n',
    'test:\n\ttrue\nX = 1\n\tMakefile: x\n\tcp x $@\n',
    'test:\n\ttrue\ntest: X = 1\n\tMakefile: x\n\tcp x $@\n',
    'a\\:b Makefile: x\n\tcp x Makefile\ntest:\n\ttrue\n',
    'X = a\\\\\nMakefile: x\n\tcp x $@\ntest:\n\ttrue\n',
  ])('a makefile of which other files are a part is asked about each time: %j', async (text) => {
    const b = benchAskingBefore({ Makefile: text })
    await grantTests(b)
    const [asked] = await askedAboutTests(b, null)
    expect(asked?.scopes.map(({ scope }) => scope.kind)).not.toContain('tool')
  })

  it.each([
    ['lines without a colon', 'a\n'],
    ['blank lines', '\n'],
    ['variables that are not closed', '$('],
    ['one variable', 'A += $A b\n'],
    ['targets', '$(A)$(A)$(A): x\n'],
  ])('a makefile with very many of these is read within seconds: %s', (_, part) => {
    const startedMs = performance.now()
    isRemadeByRule('Makefile', `A = a b\ntest:\n\ttrue\n${part.repeat(100_000)}`)
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  })

  it('so is a target of a makefile', async () => {
    const b = benchAskingBefore({ Makefile: 'test:\n\ttrue\n' })
    await grantTests(b)
    expect(await askedAboutTests(b, null)).toEqual([])
    writeFileSync(join(b.root, 'Makefile'), 'test:\n\ttouch deployed\n')
    expect((await askedAboutTests(b, null)).length).toBe(1)
  })

  it('tests that may run with exactly these arguments are those that start the same', async () => {
    const b = benchAskingBefore({
      'package.json': '{"scripts":{"test":"node check.js"}}',
      'check.js': '',
      'node_modules/.bin/other': '',
    })
    const asked: ApprovalRequest[] = []
    const run = async (approve: (request: ApprovalRequest) => PermissionAnswer) => {
      const runtime = await b.open({
        durability: 'normal',
        approve: (requests) => {
          asked.push(...requests)
          return requests.map(approve)
        },
      })
      await runtime.run([{ id: 'c', name: 'run_tests', args: {} }])
      await runtime.close()
    }
    await run(({ scopes }) => {
      const scope = scopes.find((one) => one.scope.kind === 'arguments')?.scope
      return scope === undefined ? { answer: 'deny' } : { answer: 'scope', scope }
    })
    // Control: nothing has changed.
    await run(() => ({ answer: 'deny' }))
    expect(asked).toHaveLength(1)
    writeFileSync(join(b.root, 'node_modules', '.bin', 'node'), '#!/bin/sh\n', { mode: 0o755 })
    await run(() => ({ answer: 'deny' }))
    expect(asked).toHaveLength(2)
  })

  it('a selector of an unknown command is asked about', async () => {
    const b = benchAskingBefore({ ...PROJECT, Makefile: 'check:\n\ntrue\n' })
    const config = { 'tools.run_tests.command': ['make', 'check'] }
    const granting = await b.open({
      durability: 'normal',
      config,
      approve: (requests) => requests.map(() => ({ answer: 'scope', scope: { kind: 'tool' } })),
    })
    await granting.run([{ id: 'first', name: 'run_tests', args: {} }])
    await granting.close()
    const [asked] = await askedAboutTests(b, 'adds', { config })
    expect(asked?.why).toContain('started by make check; now it would be make check adds')
  })

  it.each([
    ['src/*', 'delete_path', { path: 'src/deep' }],
    ['src/**', 'delete_path', { path: 'src' }],
    ['src/**', 'move_path', { from: 'src/deep', to: 'src/new' }],
  ])('a grant for the paths %s does not reach what is in a folder: %s %j', async (glob, name, args) => {
    const b = benchAskingBefore({ 'src/a.txt': 'a', 'src/b.txt': 'b', 'src/deep/.hidden': 'h' })
    const asked: ApprovalRequest[] = []
    const file = name === 'delete_path' ? { path: 'src/a.txt' } : { from: 'src/a.txt', to: 'src/c.txt' }
    const next = name === 'delete_path' ? { path: 'src/b.txt' } : { from: 'src/b.txt', to: 'src/d.txt' }
    const runtime = await b.open({
      approve: (requests) => {
        asked.push(...requests)
        return requests.map(() =>
          asked.length === 1 ? { answer: 'scope', scope: { kind: 'path', glob } } : 'deny',
        )
      },
    })
    await runtime.run([{ id: '1', name, args: file }])
    const [second] = await runtime.run([{ id: '2', name, args: next }])
    expect({ asked: asked.length, ok: second?.ok }).toEqual({ asked: 1, ok: true })
    const [third] = await runtime.run([{ id: '3', name, args }])
    expect({ asked: asked.length, ok: third?.ok }).toEqual({ asked: 2, ok: false })
    expect(existsSync(join(b.root, 'src/deep/.hidden'))).toBe(true)
  })

  it('says which tests they are, and is not offered for a command of the call', async () => {
    const seen: ApprovalRequest[] = []
    const runtime = await benchAskingBefore(PROJECT).open({
      approve: (requests) => {
        seen.push(...requests)
        return requests.map(() => 'deny')
      },
    })
    await runtime.run([
      { id: '1', name: 'run_tests', args: {} },
      { id: '2', name: 'run_tests', args: { command: ['sh', '-c', 'echo'] } },
    ])
    expect(seen.map(({ scopes }) => scopes.map(({ scope }) => scope.kind))).toEqual([
      ['arguments', 'tool'],
      ['arguments'],
    ])
    expect(seen[0]?.scopes[1]?.sentence).toBe(
      'run_tests may run without a question for the tests as they are found in the project, all or those of a plain selector, as long as they are started by node --test.',
    )
  })

  it.each([
    ['another script', { 'package.json': '{"scripts":{"test":"node --test --import=./evil.mjs"}}' }],
    ['another runner', { 'package.json': '{}', 'go.mod': 'module evil\n' }],
    [
      'vitest',
      {
        'package.json': '{"devDependencies":{"vitest":"*"}}',
        'node_modules/.bin/vitest': '#!/bin/sh\ntouch ran\n',
      },
    ],
  ])('tests that may always run are asked about again if the project starts %s', async (_name, changes) => {
    const b = benchAskingBefore(PROJECT)
    await grantTests(b)
    expect(await askedAboutTests(b)).toEqual([])
    for (const [name, content] of Object.entries(changes)) chmodSync(b.put(name, content), 0o755)
    const [asked, ...more] = await askedAboutTests(b)
    expect(more).toEqual([])
    expect(asked?.why).toMatch(/grant \S+ was given for what is started by node --test; now it would be /)
    expect(existsSync(join(b.root, 'ran'))).toBe(false)
    for (const [name, content] of Object.entries(PROJECT)) b.put(name, content)
    for (const name of Object.keys(changes))
      if (!(name in PROJECT)) rmSync(join(b.root, name.split('/')[0] ?? ''), { recursive: true })
    expect(await askedAboutTests(b)).toEqual([])
  })

  it('tests that a call before them changes are asked about before they run', async () => {
    const b = benchAskingBefore(PROJECT)
    await grantTests(b)
    const seen: ApprovalRequest[] = []
    const runtime = await b.open({
      durability: 'normal',
      approve: (requests) => {
        seen.push(...requests)
        return requests.map(({ call }) => (call.name === 'write_file' ? 'once' : 'deny'))
      },
    })
    const results = await runtime.run([
      { id: '0', name: 'read_file', args: { path: 'package.json' } },
      {
        id: '1',
        name: 'write_file',
        args: { path: 'package.json', content: '{"scripts":{"test":"node --test --import=./evil.mjs"}}' },
      },
      { id: '2', name: 'run_tests', args: {} },
    ])
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false])
    expect(seen.map(({ call }) => call.name)).toEqual(['write_file', 'run_tests'])
    expect(seen[1]?.note).toMatch(/It would run: node .*--import=.\/evil\.mjs/)
  })

  it('tests that may always run are asked about again if the configuration names another command', async () => {
    const b = benchAskingBefore(PROJECT)
    await grantTests(b)
    const [asked] = await askedAboutTests(b, 'adds', {
      config: { 'tools.run_tests.command': ['touch', 'ran'] },
    })
    expect(asked?.why).toContain('started by node --test; now it would be touch ran')
    expect(existsSync(join(b.root, 'ran'))).toBe(false)
  })

  it('an answer of another process makes a grant for what the question showed', async () => {
    const b = benchAskingBefore(PROJECT)
    const first = await b.open({ durability: 'normal', approve: 'later' })
    await first.run([{ id: '1', name: 'run_tests', args: {} }])
    await first.close()
    const second = await b.open({ durability: 'normal' })
    const decided = await second.decide('all', { isApproved: true, scope: { kind: 'tool' } })
    expect(decided.faults).toEqual([])
    await second.close()
    expect(await askedAboutTests(b)).toEqual([])
    b.put('package.json', '{"scripts":{"test":"node --test --import=./evil.mjs"}}')
    expect(await askedAboutTests(b)).toHaveLength(1)
  })

  it('a prefix does not reach variables, input, another folder, network or further paths', async () => {
    const cmd = ['ls', '-l']
    const b = benchAskingBefore(PROJECT)
    const beside = join(b.top, 'beside')
    mkdirSync(beside)
    const calls = [
      { args: { cmd } },
      { args: { cmd: ['ls', 'sub'], cwd: '.' } },
      { args: { cmd, timeout: 5 } },
      { args: { cmd, env: { A: '1' } } },
      { args: { cmd, stdin: 'x' } },
      { args: { cmd, cwd: 'sub' } },
      { args: { cmd }, meta: { cwd: 'sub' } },
      { args: { cmd, network: true } },
      { args: { cmd, read: [beside] } },
      { args: { cmd, write: [beside] } },
      { args: { cmd: ['./ls'] } },
      { args: { cmd: ['cat', 'a'] } },
    ]
    const given = { args: { cmd: ['ls'] }, kind: 'command' }
    expect(await asksAbout(b, 'run_shell', given, calls)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
    ])
  })

  it('exact arguments reach further paths only while they lead to the same places', async () => {
    const b = benchAskingBefore(PROJECT)
    const [beside, precious, place] = [join(b.top, 'beside'), join(b.top, 'precious'), join(b.top, 'place')]
    for (const folder of [beside, precious, place]) mkdirSync(folder)
    const call = { args: { cmd: ['touch', join(precious, 'planted')], write: [place] } }
    const asked: ApprovalRequest[] = []
    const options = { durability: 'normal', config: { 'tools.dedupe_window_seconds': 0 } } as const
    const granting = await b.open({
      ...options,
      approve: (requests) =>
        requests.map(({ scopes }) => ({ answer: 'scope', scope: scopes[0]?.scope ?? { kind: 'tool' } })),
    })
    await granting.run([{ id: 'first', name: 'run_shell', ...call }])
    await granting.close()
    const later = await b.open({
      ...options,
      approve: (requests) => {
        asked.push(...requests)
        return requests.map(() => 'deny')
      },
    })
    await later.run([{ id: 'same', name: 'run_shell', ...call }])
    expect(asked).toEqual([])
    rmSync(place, { recursive: true })
    symlinkSync(precious, place)
    await later.run([{ id: 'swapped', name: 'run_shell', ...call }])
    expect(asked).toHaveLength(1)
    expect(existsSync(join(precious, 'planted'))).toBe(false)
  })
})
