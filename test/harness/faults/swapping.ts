import { spawn } from 'node:child_process'
import { compareTrees, readTree } from './world/tree.ts'
import type { Scratch } from '../scratch.ts'

/**
 * Swaps folders and a file in the root for links to their twins outside, and back, for as long as it lives. What
 * somebody makes in the meantime under the name of a folder that is away is taken out of the way.
 */
const SWAPPER = `
const { renameSync, rmSync } = require('node:fs')
const root = process.argv[1]
const things = ['spot', 'hall/room', 'file.txt']
const move = (from, to) => {
  for (;;) {
    try {
      return renameSync(root + '/' + from, root + '/' + to)
    } catch (error) {
      if (error.code === 'ENOENT') throw error
      rmSync(root + '/' + to, { recursive: true, force: true })
    }
  }
}
process.stdout.write('ready')
for (;;) {
  for (const thing of things) {
    move(thing, thing + '.away')
    move(thing + '.link', thing)
  }
  for (const thing of things) {
    move(thing, thing + '.link')
    move(thing + '.away', thing)
  }
}
`

/** A root whose folders are being swapped. */
export interface Swapping {
  readonly root: string
  /** What has changed outside, one line for each name. */
  readonly damage: () => readonly string[]
  readonly isAlive: () => boolean
  readonly stop: () => Promise<void>
}

/** Lays out a root and its twin outside, and starts swapping. */
export async function startSwapping(scratch: Scratch): Promise<Swapping> {
  for (const tree of ['root', 'outside']) {
    for (const folder of ['spot', 'spot/deep', 'hall/room', 'hall/room/deep']) {
      scratch.file(`${tree}/${folder}/f.txt`, `${tree}\n`)
      scratch.file(`${tree}/${folder}/victim.txt`, `${tree}\n`)
    }
    scratch.file(`${tree}/file.txt`, `${tree}\n`)
  }
  for (const thing of ['spot', 'hall/room', 'file.txt'])
    scratch.link(`root/${thing}.link`, scratch.at('outside', thing))
  const before = readTree(scratch.at('outside'))
  const child = spawn(process.execPath, ['-e', SWAPPER, scratch.at('root')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  await new Promise((ready) => child.stdout.once('data', ready))
  return {
    root: scratch.at('root'),
    damage: () => compareTrees(before, readTree(scratch.at('outside'))),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
