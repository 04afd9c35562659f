import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCopyLayer } from '../../../src/host/layer/copy/open-copy.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { readLayer } from '../../../src/workspace/layers/read-layer.ts'
import { createSandbox } from '../../../src/workspace/sandbox/sandbox.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import { useShops } from '../../faces/cli/command-line.ts'
import { shellCall } from '../../faces/cli/land-command.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { SETTINGS } from './layer-bench.ts'

it('a folder that was exchanged while a command worked on a copy makes what it changed there stale', async () => {
  const scratch = makeScratch()
  for (const name of ['in/changed', 'in/gone', 'in/left', 'twin/changed', 'twin/gone', 'other/changed'])
    scratch.file(`root/${name}`)
  const path = scratch.at('root')
  const request = { execution: 'e1', roots: [path], places: [scratch.folder('place')] }
  const layer = await openCopyLayer(request, { masked: [], own: [] }, { maxBytes: 10_000, maxFiles: 100 })
  const upper = join(layer.parts[0]?.folder ?? '', 'upper')
  // The command:
  for (const name of ['in/changed', 'in/new', 'other/changed']) writeFileSync(join(upper, name), 'by command')
  rmSync(join(upper, 'in/gone'))
  // A person:
  renameSync(scratch.at('root/in'), scratch.at('root/before'))
  renameSync(scratch.at('root/twin'), scratch.at('root/in'))
  const root = openRoot(path)
  try {
    const options = { deniedPatterns: [], allowAbsolute: true, includeDefaultDenies: true }
    const sandbox = createSandbox({ roots: [root], ...options })
    const { stale } = await readLayer(layer, {
      sandbox,
      own: [],
      settings: SETTINGS,
      findGitIn: () => null,
      home: scratch.folder('home'),
    })
    expect(stale).toEqual(['in/changed', 'in/gone', 'in/new'])
  } finally {
    root.close()
  }
})

const TWINS = { 'in/f.txt': 'same\n', 'twin/f.txt': 'same\n' }

/** Puts another folder with the same files in the place of one. */
function exchange(root: string): void {
  renameSync(join(root, 'in'), join(root, 'before'))
  renameSync(join(root, 'twin'), join(root, 'in'))
}

const CHANGES = [
  ['a changed file', 'echo new > in/f.txt'],
  ['a new file', 'echo new > in/n.txt'],
  ['a mode', 'chmod 700 in'],
] as const

it.for(CHANGES)('a folder that is exchanged while a person is asked gets nothing: %s', async ([, line]) => {
  const b = bench(TWINS)
  const result = await b.call(
    'run_shell',
    { cmd: ['sh', '-c', line] },
    {
      approve: (asked) => {
        exchange(b.root)
        return asked.map(() => 'once' as const)
      },
    },
  )
  expect(errorOf(result).code).toBe('stale_file')
  expect(readFileSync(join(b.root, 'in/f.txt'), 'utf8')).toBe('same\n')
  expect(readdirSync(join(b.root, 'in'))).toEqual(['f.txt'])
})

const shop = useShops()

it('a folder that is exchanged while a landing waits for its answer gets nothing', async () => {
  const s = shop(TWINS)
  expect((await s.batch([shellCall('echo new > in/f.txt')])).code).toBe(4)
  exchange(s.root)
  const { rows } = await s.tongs(['approve', 'all', '--json'])
  expect(outcomes(rows)).toEqual(['stale_file'])
  expect(s.get('in/f.txt')).toBe('same\n')
})
