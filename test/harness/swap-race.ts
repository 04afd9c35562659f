import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import type { Scratch } from './scratch.ts'

/** Stands in every file outside, and in none inside. */
export const SECRET = 'OUTSIDE-SECRET'
/** Exists outside only. */
export const SECRET_NAME = 'only-outside.txt'
/** How many folders `spot/many-…` each tree has. */
export const MANY_FOLDERS = 80
/** No file inside has this size. */
export const SECRET_SIZE = 4321

/**
 * Swaps, for as long as it lives, three things inside the root for links to the same things outside, and back: a
 * folder, a folder in a folder, and a file.
 */
const SWAPPER = `
const { renameSync } = require('node:fs')
const root = process.argv[1]
const things = ['spot', 'hall/room', 'file.txt']
process.stdout.write('ready')
for (;;) {
  for (const thing of things) {
    renameSync(root + '/' + thing, root + '/' + thing + '.away')
    renameSync(root + '/' + thing + '.link', root + '/' + thing)
  }
  for (const thing of things) {
    renameSync(root + '/' + thing, root + '/' + thing + '.link')
    renameSync(root + '/' + thing + '.away', root + '/' + thing)
  }
}
`

/** A root with a twin outside, and a process that swaps parts of the one for links to the other. */
export interface SwapRace {
  readonly root: string
  readonly outside: string
  /** What has changed outside since the start, one line for each. */
  readonly damage: () => readonly string[]
  readonly stop: () => Promise<void>
}

/** Lays the two trees out and starts swapping. */
export async function startSwapRace(scratch: Scratch): Promise<SwapRace> {
  for (const tree of ['root', 'outside']) {
    const text = tree === 'root' ? 'inside' : SECRET.padEnd(SECRET_SIZE, '.')
    const many = Array.from({ length: MANY_FOLDERS }, (_, at) => `spot/many-${at}`)
    for (const folder of ['spot/deep', 'hall/room/deep', ...many]) {
      scratch.file(`${tree}/${folder}/f.txt`, text)
      scratch.file(`${tree}/${folder}/victim.txt`, text)
      if (tree === 'outside') scratch.file(`${tree}/${folder}/${SECRET_NAME}`, text)
    }
    scratch.file(`${tree}/file.txt`, text)
  }
  for (const thing of ['spot', 'hall/room', 'file.txt'])
    scratch.link(`root/${thing}.link`, scratch.at('outside', thing))
  const root = scratch.at('root')
  const outside = scratch.at('outside')
  const before = snapshot(outside)

  const child = spawn(process.execPath, ['-e', SWAPPER, root], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  await new Promise((ready) => child.stdout.once('data', ready))
  return {
    root,
    outside,
    damage: () => {
      const now = snapshot(outside)
      const names = new Set([...before.keys(), ...now.keys()])
      return [...names].filter((name) => before.get(name) !== now.get(name))
    },
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Whether anything from outside shows in what an operation gave. */
export function isLeak(given: unknown): boolean {
  if (given === null || given === undefined) return false
  if (typeof given === 'number') return given === SECRET_SIZE
  if (typeof given === 'string') return given.includes(SECRET) || given.includes(SECRET_NAME)
  if (Array.isArray(given)) return given.some(isLeak)
  throw new Error(`an operation of the race gave ${typeof given}`)
}

function snapshot(folder: string): Map<string, string> {
  const seen = new Map<string, string>()
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath}/${entry.name}`
    seen.set(path, entry.isFile() ? fs.readFileSync(path, 'utf8') : 'folder')
  }
  return seen
}
