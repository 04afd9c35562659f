import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A workspace, a state folder and a place for marks, which can be put back to how they were. */
export interface World {
  readonly top: string
  readonly root: string
  readonly stateDir: string
  /** A file outside of both, where tools leave a mark whenever they start. */
  readonly marks: string
  readonly save: (name: string) => void
  readonly restore: (name: string) => void
  readonly remove: () => void
}

const PARTS = ['root', 'state', 'marks']
/** Syncing costs nothing where there is no disk; what a crash of a process leaves is the same. */
const FASTEST = fs.existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Makes an empty world; its paths stay the same for as long as it lives, because the journal knows them. */
export function makeWorld(): World {
  const top = fs.mkdtempSync(join(fs.realpathSync(FASTEST), 'tongs-faults-'))
  fs.mkdirSync(join(top, 'root'))
  return worldAt(top)
}

/** A world that is there already. */
export function worldAt(top: string): World {
  const saved = (name: string): string => join(top, 'saved', name)
  return {
    top,
    root: join(top, 'root'),
    stateDir: join(top, 'state'),
    marks: join(top, 'marks'),
    save: (name) => {
      fs.rmSync(saved(name), { recursive: true, force: true })
      copyParts(top, saved(name))
    },
    restore: (name) => {
      clear(worldAt(top))
      copyParts(saved(name), top)
    },
    remove: () => fs.rmSync(top, { recursive: true, force: true }),
  }
}

/** Removes all that is in a world. Commits are finished in the root that they were made in, so it stays the same folder. */
export function clear({ root, stateDir, marks }: Pick<World, 'root' | 'stateDir' | 'marks'>): void {
  const inRoot = fs.existsSync(root) ? fs.readdirSync(root).map((name) => join(root, name)) : []
  for (const path of [...inRoot, stateDir, marks]) fs.rmSync(path, { recursive: true, force: true })
}

function copyParts(from: string, to: string): void {
  for (const part of PARTS) if (fs.existsSync(join(from, part))) copyAll(join(from, part), join(to, part))
}

/** Copies files and folders with their modes. What SQLite keeps in shared memory is lost, as it is in a crash. */
export function copyAll(from: string, to: string): void {
  const stat = fs.lstatSync(from)
  if (!stat.isDirectory()) {
    if (from.endsWith('-shm')) return
    fs.copyFileSync(from, to)
    fs.chmodSync(to, stat.mode & 0o7777)
    return
  }
  fs.mkdirSync(to, { recursive: true })
  for (const name of fs.readdirSync(from)) copyAll(join(from, name), join(to, name))
  fs.chmodSync(to, stat.mode & 0o7777)
}

/** What tools wrote when they started, one line for each start. */
export function readMarks(world: World): readonly string[] {
  if (!fs.existsSync(world.marks)) return []
  return fs
    .readFileSync(world.marks, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}
