import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { ioFailure } from '../../../src/host/root/io-failure.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import type { Root } from '../../../src/host/root/root.ts'
import { digest } from '../../../src/host/system/hash.ts'
import { runSteps } from '../../../src/host/system/steps.ts'
import type { FileChange } from '../../../src/journal/entries/entry.ts'
import { createAttributeCache } from '../../../src/workspace/landing/attribute-cache.ts'
import { createDigestCache } from '../../../src/workspace/landing/digest-cache.ts'
import type { HeldFiles } from '../../../src/workspace/landing/contents/held.ts'
import { landing } from '../../../src/workspace/landing/land.ts'
import { makeScratch } from '../../harness/scratch.ts'

const OWN = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }

const NOTHING_HELD: HeldFiles = {
  find: () => null,
  makeRoom: () => expect.unreachable('nothing is held'),
}

/** Lands changes of which all contents are in the journal, in a root that is made by `change`. */
function land(
  root: Root,
  changes: readonly FileChange[],
  contents: readonly string[],
  held: HeldFiles = NOTHING_HELD,
) {
  const byDigest = new Map(contents.map((text) => [digest(text), new TextEncoder().encode(text)]))
  return runSteps(
    landing(changes, {
      execution: 'x',
      rootOf: () => root,
      held,
      digests: createDigestCache(),
      attributeCache: createAttributeCache(),
      contentOf: (named) => byDigest.get(named) ?? null,
      known: null,
    }),
  )
}

function makeRoot() {
  const scratch = makeScratch()
  const root = openRoot(scratch.folder('root'))
  onTestFinished(root.close)
  return { scratch, root }
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

const fileOf = (text: string) => ({ digest: digest(text), mode: 0o644, ...OWN })

it('a layer that cannot be looked at for a moment leaves no temporary file behind', () => {
  const { scratch, root } = makeRoot()
  scratch.file('root/a', 'old')
  chmodSync(scratch.at('root/a'), 0o644)
  const layer = openRoot(scratch.folder('layer'))
  onTestFinished(layer.close)
  scratch.file('layer/a', 'new')
  chmodSync(scratch.at('layer/a'), 0o644)
  const after = { ...fileOf('new'), held: 'a' }
  const change = { root: root.path, path: 'a', before: fileOf('old'), after, folders: [] }
  let looks = 0
  const held: HeldFiles = {
    ...NOTHING_HELD,
    find: (_root, rel) => {
      const stat = looks++ === 0 ? null : layer.stat(rel)
      return stat === null ? null : { root: layer, rel, stat }
    },
  }
  expect(land(root, [change], ['old', 'new'], held)).toEqual({ is: 'landed' })
  expect(looks).toBeGreaterThan(0)
  expect(readFileSync(scratch.at('root/a'), 'utf8')).toBe('new')
  expect(readdirSync(scratch.at('root'))).toEqual(['a'])
})

it('somebody who makes the same change at the same time finds no temporary file beside it', () => {
  const { scratch, root } = makeRoot()
  scratch.file('root/a', 'old')
  chmodSync(scratch.at('root/a'), 0o644)
  const change = {
    root: root.path,
    path: 'a',
    before: fileOf('old'),
    after: fileOf('new'),
    folders: [],
  }
  const shared: Root = {
    ...root,
    createExclusive: (rel, mode) => {
      scratch.file('root/a', 'new')
      return root.createExclusive(rel, mode)
    },
  }
  expect(land(shared, [change], ['old', 'new'])).toEqual({ is: 'landed' })
  expect(readFileSync(scratch.at('root/a'), 'utf8')).toBe('new')
  expect(readdirSync(scratch.at('root'))).toEqual(['a'])
})

it('a file that cannot be read leaves nothing of an interrupted landing behind, and it is finished later', () => {
  const { scratch, root } = makeRoot()
  scratch.file('root/a', 'old')
  scratch.file('root/.tongs-x-0', 'half of ne')
  const change = { root: root.path, path: 'a', before: fileOf('old'), after: fileOf('new'), folders: [] }
  const unreadable: Root = {
    ...root,
    openFile: (rel) => {
      throw ioFailure(systemError('EIO'), 'open', rel)
    },
  }
  expect(land(unreadable, [change], ['old', 'new'])).toMatchObject({ is: 'failed', file: 'a' })
  expect(readdirSync(scratch.at('root'))).toEqual(['a'])
  expect(readFileSync(scratch.at('root/a'), 'utf8')).toBe('old')
  expect(land(root, [change], ['old', 'new'])).toEqual({ is: 'landed' })
  expect(readFileSync(scratch.at('root/a'), 'utf8')).toBe('new')
})

it('what was replaced and cannot be removed beside the file is removed later, and nothing is said to be landed before', () => {
  const { scratch, root } = makeRoot()
  scratch.file('root/a', 'old')
  chmodSync(scratch.at('root/a'), 0o644)
  const change = { root: root.path, path: 'a', before: fileOf('old'), after: fileOf('new'), folders: [] }
  let isPlaced = false
  const refuse = (rel: string): never => {
    throw ioFailure(systemError('EACCES'), 'remove', rel)
  }
  const refusing: Root = {
    ...root,
    placeExactly: (from, to, how) => {
      if (isPlaced) refuse(to)
      isPlaced = true
      return root.placeExactly(from, to, how)
    },
    placeFile: (_from, to) => refuse(to),
    unlink: refuse,
  }
  expect(land(refusing, [change], ['old', 'new'])).toMatchObject({ is: 'failed', file: '.tongs-x-0' })
  expect(readFileSync(scratch.at('root/a'), 'utf8')).toBe('new')
  expect(land(root, [change], ['old', 'new'])).toEqual({ is: 'landed' })
  expect(readdirSync(scratch.at('root'))).toEqual(['a'])
})

it('a folder that the system refuses to remove for a moment is removed all the same', () => {
  const { scratch, root } = makeRoot()
  scratch.folder('root/d/e')
  const folder = { kind: 'folder' as const, digest: digest(''), mode: 0o755, ...OWN }
  const changes = ['d', 'd/e'].map((path) => ({
    root: root.path,
    path,
    before: folder,
    after: null,
    folders: [],
  }))
  let refusals = 0
  const refusing: Root = {
    ...root,
    rmdir: (rel) => {
      if (refusals++ === 0) throw ioFailure(systemError('EROFS'), 'remove', rel)
      root.rmdir(rel)
    },
  }
  expect(land(refusing, changes, [])).toEqual({ is: 'landed' })
  expect(refusals).toBeGreaterThan(2)
  expect(existsSync(scratch.at('root/d'))).toBe(false)
})

it('folders that were made for a file that goes, and that the system refuses to remove for a moment, go all the same', () => {
  const { scratch, root } = makeRoot()
  scratch.folder('root/d/e')
  scratch.file('root/d/e/f', 'f')
  chmodSync(scratch.at('root/d/e/f'), 0o644)
  const change = {
    root: root.path,
    path: 'd/e/f',
    before: fileOf('f'),
    after: null,
    folders: ['d', 'd/e'],
  }
  let refusals = 0
  const refusing: Root = {
    ...root,
    rmdir: (rel) => {
      if (refusals++ === 0) throw ioFailure(systemError('EROFS'), 'remove', rel)
      root.rmdir(rel)
    },
  }
  expect(land(refusing, [change], [])).toEqual({ is: 'landed' })
  expect(existsSync(scratch.at('root/d'))).toBe(false)
})
