import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

it.each([
  ['by what decided over git when it started', true],
  ['control: where nothing did, it lands', false],
])('a file of a command is judged also %s', async (_what, isSet) => {
  const b = bench({ 'live/here': '', 'real/keep': '' })
  const git = (...words: readonly string[]) => execFileSync('git', ['-C', b.root, ...words])
  git('init', '-q')
  if (isSet) git('config', 'core.hooksPath', 'real')
  const config = { 'tools.shell.passthrough': ['live'] }
  const runtime = await b.open({ config, approve: (asked) => asked.map(() => 'once' as const) })
  const line =
    'touch live/ready; until [ -e live/go ]; do sleep 0.01; done; echo x >real/post-commit; echo x >new'
  const running = runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }])
  const ready = join(b.root, 'live', 'ready')
  for (const giveUpAt = Date.now() + PATIENCE_MS; !existsSync(ready); await pause(5))
    if (Date.now() > giveUpAt) throw new Error('the command never began')
  if (isSet) git('config', '--unset', 'core.hooksPath')
  writeFileSync(join(b.root, 'live', 'go'), '')
  await running
  await runtime.close()
  expect([existsSync(join(b.root, 'new')), existsSync(join(b.root, 'real/post-commit'))]).toEqual([
    true,
    !isSet,
  ])
})

it.each([
  ['!./tools/check', 'chmod +x tools/check', false],
  ['rebase --exec tools/check', 'cp -p tools/run new; mv new tools/check', false],
  ['!./tools/check', 'echo more >>tools/check', true],
  ['!git log -- tools/check', 'echo more >>tools/check', true],
  ['!./tools/other', 'chmod +x tools/check', true],
])(
  'what git runs for the alias %s, once it is a program, is made one by no command: %s (lands: %s)',
  async (alias, line, lands) => {
    const b = bench({ 'tools/check': 'one\n', 'tools/run': '#!/bin/sh\n' })
    const git = (...words: readonly string[]) => execFileSync('git', ['-C', b.root, ...words])
    git('init', '-q')
    git('config', 'alias.check-all', alias)
    chmodSync(join(b.root, 'tools/run'), 0o755)
    const runtime = await b.open({ approve: (asked) => asked.map(() => 'once' as const) })
    const [result] = await runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }])
    await runtime.close()
    expect(result?.ok).toBe(lands)
    if (!lands) expect(statSync(join(b.root, 'tools/check')).mode & 0o111).toBe(0)
  },
)
