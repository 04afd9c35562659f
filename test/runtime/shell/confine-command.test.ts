import { renameSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Settings } from '../../../src/config/keys.ts'
import type { ConfinementLevel } from '../../../src/host/confine/find-confinement.ts'
import type { ConfinedWorkspace } from '../../../src/host/confine/confinement.ts'
import { findPlace } from '../../../src/host/confine/held/held-place.ts'
import { confineCommand } from '../../../src/runtime/shell/confine-command.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { makeScratch } from '../../harness/scratch.ts'
import type { Scratch } from '../../harness/scratch.ts'

const NONE_LENT = { caches: [], masked: [], isLayered: false, registry: null }

/** Confines a command that may read one folder and write another; `act` happens when what is denied was looked for. */
function confine(scratch: Scratch, act: () => void = () => undefined): ConfinedWorkspace {
  const confined: ConfinedWorkspace[] = []
  const level = {
    holds: true,
    confine: (one: ConfinedWorkspace) => confined.push(one),
  } as unknown as ConfinementLevel & { readonly holds: true }
  const none = (): readonly string[] => []
  const workspace = {
    roots: [scratch.at('root')],
    own: [],
    denyOutside: () => null,
    findDenied: none,
    findDeniedIn: none,
    findPipesIn: none,
    findDeniedInPlace: none,
    findPipesInPlace: none,
  } as unknown as Workspace
  const settings = {
    'tools.shell.read': [scratch.at('lent')],
    'tools.shell.passthrough': [],
  } as unknown as Settings
  const paths = { workspace, home: scratch.at('home'), own: [], runnerPlace: () => scratch.at('runner') }
  const extraAccess = { network: false, read: [scratch.at('a/b')], write: [scratch.at('c')] }
  const deps = { settings, workspace, paths, skillFolders: none }
  const steps = confineCommand(level, { extraAccess, path: '', lent: NONE_LENT }, deps)
  steps.next()
  act()
  while (steps.next().done !== true);
  const [only] = confined
  if (only === undefined) throw new Error('nothing was confined')
  return only
}

describe('a path that a command gets', () => {
  it('is mounted as what it was when it was judged, granted or lent', () => {
    const scratch = makeScratch()
    for (const name of ['root/x', 'lent/x', 'a/b/x', 'c/x']) scratch.file(name, '')
    const judged = [...(confine(scratch).judged ?? [])].toSorted(([one], [other]) => (one < other ? -1 : 1))
    expect(judged).toEqual(
      [['a/b', true] as const, ['c', true] as const, ['lent', false] as const].map(([name, isGranted]) => [
        scratch.at(name),
        { ...findPlace(scratch.at(name)), isGranted },
      ]),
    )
  })

  it('is refused if it became a link while it was looked for what is denied in it', () => {
    const scratch = makeScratch()
    for (const name of ['root/x', 'lent/x', 'a/b/x', 'c/x', 'home/x']) scratch.file(name, '')
    const act = (): void => {
      renameSync(scratch.at('a/b'), scratch.at('a/away'))
      symlinkSync(scratch.at('home'), scratch.at('a/b'))
    }
    expect(() => confine(scratch, act)).toThrow('was replaced while the sandbox was set up')
  })
})
