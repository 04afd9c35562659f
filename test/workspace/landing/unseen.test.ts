import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ioFailure } from '../../../src/host/root/io-failure.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import type { Root } from '../../../src/host/root/root.ts'
import { createDigestCache } from '../../../src/workspace/landing/digest-cache.ts'
import { requireNoConflicts } from '../../../src/workspace/landing/checks/find-conflicts.ts'
import { identifyFolders } from '../../../src/workspace/landing/folder-identities.ts'
import { failureOf } from '../../harness/scratch.ts'
import { layerBench } from './layer-bench.ts'

/** The refusal of a landing that changes `d/a` while looking at the folder, or the link beside it, fails. */
function refusalWith(
  errno: string,
  act: 'lendFolder' | 'stat',
  before: (root: string) => void = () => undefined,
) {
  const b = layerBench({ 'd/a': 'old', b: 'b' })
  const { changes } = b.command('call', (folder) => {
    fs.writeFileSync(join(folder, 'd/a'), 'new')
    fs.writeFileSync(join(folder, 'b'), 'B')
  })
  const root = openRoot(b.root)
  const folders = identifyFolders(root, [{ path: 'd/a', wasFolder: false }])
  before(b.root)
  const fail = (rel: string): never => {
    throw ioFailure(Object.assign(new Error('refused'), { code: errno }), 'inspect', rel)
  }
  const failing: Root = {
    ...root,
    ...(act === 'stat'
      ? { stat: (rel) => (rel === 'd/a' ? fail(rel) : root.stat(rel)) }
      : { lendFolder: (rel) => fail(rel) }),
  }
  const layer = { changes, folders, startedMs: Date.now() + 3_600_000 }
  try {
    return failureOf(() =>
      requireNoConflicts(layer, () => false, { rootOf: () => failing, digests: createDigestCache() }),
    )
  } finally {
    root.close()
  }
}

it.each(['lendFolder', 'stat'] as const)(
  'a landing that may not look at a file says so, and does not say that somebody changed it (%s)',
  (act) => {
    const { code, message } = refusalWith('EACCES', act)
    expect({ code, message }).toEqual({
      code: 'stale_file',
      message: 'Nothing was landed: it cannot be seen whether d/a is as the command found it (EACCES).',
    })
  },
)

it.each(['EIO', 'EMFILE'])('a landing that cannot look because of the machine is not stale (%s)', (errno) => {
  for (const act of ['lendFolder', 'stat'] as const)
    expect(refusalWith(errno, act)).toMatchObject({ details: { errno } })
})

it('a file that somebody is known to have changed is named before one that could not be looked at', () => {
  const change = (root: string): void => fs.writeFileSync(join(root, 'b'), 'theirs')
  expect(refusalWith('EACCES', 'stat', change)).toMatchObject({
    code: 'stale_file',
    details: { file: 'b', files: expect.arrayContaining(['b', 'd/a']) as unknown },
  })
})
