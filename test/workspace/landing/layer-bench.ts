import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { FileChange, FileState } from '../../../src/journal/entries/entry.ts'
import { openWorkspace } from '../../../src/workspace/open-workspace.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { load } from '../../config/load.ts'
import { FASTEST, makeScratch } from '../../harness/scratch.ts'

const { settings } = await load({ given: {} })

/** Everything that a person could notice about a tree, by path: kind, mode, owner, names, time of change, content. */
export type Photo = Readonly<Record<string, string>>

/** A workspace, a place for layers, and contents of the journal. */
export interface LayerBench {
  readonly root: string
  readonly stateDir: string
  readonly place: string
  readonly payloads: Map<string, Uint8Array>
  readonly open: () => Workspace
  readonly photo: () => Photo
  /** Makes the layer of a command that did this to a copy of the workspace. */
  readonly command: (execution: string, act: (folder: string) => void) => LayerOf
}

/** What a command left on its layer. */
export interface LayerOf {
  readonly changes: readonly FileChange[]
  /** What the workspace looks like once they have landed. */
  readonly expected: Photo
}

const sha = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** Takes a picture of a tree. Times of folders are left out: they tell about the names in them. */
export function takePhoto(folder: string): Photo {
  const photo: Record<string, string> = {}
  const visit = (rel: string): void => {
    for (const name of fs.readdirSync(join(folder, rel)).toSorted()) {
      const path = rel === '' ? name : `${rel}/${name}`
      const full = join(folder, path)
      const { mode, uid, gid, nlink, mtimeNs } = fs.lstatSync(full, { bigint: true })
      const is = fs.lstatSync(full)
      const owner = `${(Number(mode) & 0o7777).toString(8)} ${uid}:${gid}`
      if (is.isDirectory()) {
        photo[path] = `folder ${owner}`
        visit(path)
      } else if (is.isSymbolicLink())
        photo[path] = `link ${owner} ${nlink} ${mtimeNs} ${fs.readlinkSync(full)}`
      else photo[path] = `file ${owner} ${nlink} ${mtimeNs} ${sha(fs.readFileSync(full))}`
    }
  }
  visit('')
  return photo
}

/** Lays out a workspace with these files; a name that ends in a slash is an empty folder, a value that begins with `->` a link. */
export function layerBench(files: Readonly<Record<string, string>>): LayerBench {
  const top = makeScratch(FASTEST).path
  const stateDir = join(top, 'state')
  const [root, place] = [join(top, 'root'), join(stateDir, 'layers')]
  fs.mkdirSync(root, { mode: 0o755 })
  fs.mkdirSync(place, { recursive: true, mode: 0o700 })
  for (const [path, content] of Object.entries(files)) write(root, path, content)
  const payloads = new Map<string, Uint8Array>()
  return {
    root,
    stateDir,
    place,
    payloads,
    open: () =>
      openWorkspace({
        root,
        settings,
        clock: systemClock,
        backupFolder: join(top, 'backups'),
        outputFolder: join(top, 'outputs'),
        layerPlacesOf: () => [place],
      }),
    photo: () => takePhoto(root),
    command: (execution, act) => makeLayer({ root, place, top }, execution, act),
  }
}

/** Writes a file, a link or an empty folder. */
export function write(root: string, path: string, content: string): void {
  const full = join(root, path)
  if (path.endsWith('/')) return void fs.mkdirSync(full, { recursive: true })
  fs.mkdirSync(dirname(full), { recursive: true })
  if (content.startsWith('->')) fs.symlinkSync(content.slice(2), full)
  else fs.writeFileSync(full, content)
}

interface Places {
  readonly root: string
  readonly place: string
  readonly top: string
}

function makeLayer({ root, place, top }: Places, execution: string, act: (folder: string) => void): LayerOf {
  const copy = join(top, `copy-${execution}`)
  execFileSync('cp', ['-a', root, copy])
  act(copy)
  const before = takePhoto(root)
  const left = Object.entries(takePhoto(copy))
  // A time stamp alone is no change, and does not land.
  const expected = Object.fromEntries(
    left.map(([path, line]) => [path, isSame(before[path], line) ? (before[path] ?? line) : line]),
  )
  const changed = [...new Set([...Object.keys(before), ...Object.keys(expected)])]
    .toSorted()
    .filter((path) => !isSame(before[path], expected[path]))
  const part = `${execution}/0`
  const gone = new Map(
    changed.flatMap((path, index) => {
      const was = before[path]
      return was === undefined || was.startsWith('folder') ? [] : [[path, `${part}/old/${index}`] as const]
    }),
  )
  const moved = new Map([...gone].map(([path, held]) => [before[path], held]))
  const changes = changed.map((path): FileChange => {
    const is = expected[path]
    // What a command moved with its folder is not in the layer but where it was.
    const comesFrom = is === undefined ? undefined : moved.get(is)
    if (is !== undefined && comesFrom !== undefined) moved.delete(is)
    const held = comesFrom ?? `${part}/upper/${path}`
    if (is !== undefined && comesFrom === undefined && !is.startsWith('folder')) {
      fs.mkdirSync(dirname(join(place, held)), { recursive: true })
      fs.renameSync(join(copy, path), join(place, held))
    }
    const after =
      is === undefined
        ? null
        : stateOf(is, comesFrom === undefined ? join(place, held) : join(copy, path), held)
    return { root, path, before: stateOf(before[path], join(root, path), gone.get(path)), after, folders: [] }
  })
  fs.rmSync(copy, { recursive: true, force: true })
  return { changes, expected }
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  const [first, second] = [one, other].map((line) => line?.split(' ').toSpliced(4, 1).join(' '))
  return first === second
}

function stateOf(line: string | undefined, full: string, held: string | undefined): FileState | null {
  if (line === undefined) return null
  const [kind, mode = '', owner = '', , , content = ''] = line.split(' ')
  const [uid, gid] = owner.split(':').map(Number)
  const base = { mode: Number.parseInt(mode, 8), uid: uid ?? 0, gid: gid ?? 0 }
  if (kind === 'folder') return { kind: 'folder', digest: sha(''), ...base }
  const place = held === undefined ? {} : { held }
  if (kind === 'link') return { kind: 'link', digest: sha(fs.readlinkSync(full)), ...base, ...place }
  return { digest: content, ...base, ...place }
}

/** The same changes, the other way round. */
export function reverseAll(changes: readonly FileChange[]): readonly FileChange[] {
  return changes.map((change) => ({ ...change, before: change.after, after: change.before }))
}
