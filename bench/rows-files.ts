import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findNative, WITHOUT_NATIVE } from '../src/host/native/load-native.ts'
import { openLinuxRoot } from '../src/host/root/linux/linux.ts'
import type { Root } from '../src/host/root/root.ts'
import { openFloor, patchLeast, walkLeast } from './floors.ts'
import { atMost, round, timeInTurns, withLimit } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

/** Row 7: opening a file deep below the root, against a bare open. */
export async function openRow(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const rel = `${Array.from({ length: 10 }, (_, index) => `d${index}`).join('/')}/file.txt`
    mkdirSync(join(place.root, rel, '..'), { recursive: true })
    writeFileSync(join(place.root, rel), 'x')
    const { native, plain } = openBothWays(place.root)
    const absolute = join(native.path, rel)
    const times = await timeInTurns(
      {
        bare: () => closeSync(openSync(absolute, 'r')),
        native: () => native.openFile(rel).close(),
        plain: () => plain.openFile(rel).close(),
      },
      { rounds: 21, runs: 2000 },
    )
    native.close()
    plain.close()
    return [
      atMost('7 sandboxed open at depth 10', times.native, times.bare, 'us per open', 1.5),
      withLimit(
        atMost('7 the same without native calls', times.plain, times.bare, 'us per open', 2),
        await openFloor(dirname(absolute), basename(absolute)),
      ),
    ]
  } finally {
    place.clean()
  }
}

/** Row 9: walking a tree with metadata, against find. */
export async function walkRow(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    for (let folder = 0; folder < 400; folder++) {
      mkdirSync(join(place.root, `d${folder % 20}`, `e${folder}`), { recursive: true })
      for (let file = 0; file < 50; file++)
        writeFileSync(join(place.root, `d${folder % 20}`, `e${folder}`, `f${file}.txt`), '')
    }
    const { native, plain } = openBothWays(place.root)
    const times = await timeInTurns(
      {
        find: () => spawnSync('find', [place.root, '-printf', '%p %s %T@ %y\n'], { maxBuffer: 1 << 28 }),
        native: () => walkAll(native),
        plain: () => walkAll(plain),
        least: () => walkLeast(place.root),
      },
      { rounds: 9, runs: 1 },
    )
    native.close()
    plain.close()
    const name = '9 recursive listing with metadata, 20,000 files'
    return [
      atMost(name, times.native, times.find, 'us per walk', 1.2),
      withLimit(
        atMost(`${name}, without native calls`, times.plain, times.find, 'us per walk', 1.6),
        `reading every folder and looking at every file once, by their names, takes Node alone ${round(times.least)} us in the same run; the rest is going through handles in /proc, so that a folder that is exchanged meanwhile leads nowhere`,
      ),
    ]
  } finally {
    place.clean()
  }
}

/** A root with native calls, which are loaded already, and one without. */
function openBothWays(path: string): { readonly native: Root; readonly plain: Root } {
  findNative()
  return { native: openLinuxRoot(path), plain: openLinuxRoot(path, WITHOUT_NATIVE) }
}

function walkAll(root: Root): number {
  let count = 0
  root.walk('', (entry) => {
    entry.stat()
    count++
    return 'enter'
  })
  return count
}

/** Row 12: a patch over 100 files of 10 KB, safe against a crash, against temporary files and renames without any sync. */
export async function patchRow(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const names = Array.from({ length: 100 }, (_, index) => `f${index}.txt`)
    const body = `${'a line of ordinary length in a file\n'.repeat(290)}`
    for (const name of names) writeFileSync(join(place.root, name), `version 0\n${body}`)
    const naive = join(place.top, 'naive')
    mkdirSync(naive)
    for (const name of names) writeFileSync(join(naive, name), `version 0\n${body}`)
    const runtime = await place.open({
      durability: 'full',
      config: { 'tools.approval.mode': 'auto', 'tools.max_tool_calls_per_batch': 200 },
    })
    const seen = await runtime.run(names.map((path) => ({ id: path, name: 'read_file', args: { path } })))
    if (seen.some(({ ok }) => !ok)) throw new Error('the files could not be read')
    let version = 0
    const patch = async (): Promise<void> => {
      const sections = names.map((name) => `F ${name}\nR\nversion ${version}\n.\nversion ${version + 1}\n.`)
      const [result] = await runtime.run([
        { id: 'p', name: 'apply_patch', args: { patch: `LP1\n${sections.join('\n')}\nEND\n` } },
      ])
      if (result?.ok !== true) throw new Error(`the patch failed: ${result?.content}`)
      version++
    }
    let naiveVersion = 0
    const rename = (): void => {
      naiveVersion++
      for (const name of names) {
        writeFileSync(join(naive, `${name}.tmp`), `version ${naiveVersion}\n${body}`)
        renameSync(join(naive, `${name}.tmp`), join(naive, name))
      }
    }
    const bare = join(place.top, 'bare')
    mkdirSync(bare)
    for (const name of names) writeFileSync(join(bare, name), `version 0\n${body}`)
    const least = patchLeast(bare, names, `version 1\n${body}`)
    const times = await timeInTurns({ rename, patch, least }, { rounds: 21, runs: 3 })
    await runtime.close()
    return [
      withLimit(
        atMost(
          '12 patch over 100 files of 10 KB, safe against a crash',
          times.patch,
          times.rename,
          'us per patch',
          1.4,
        ),
        `hashing both contents of each file, a log of the new ones with one sync, and the renames take ${round(times.least)} us alone in the same run, ${round(times.least / times.rename)} of the renames without a sync; the rest is reading the patch, finding its places, judging, backups that undo needs, and the record`,
      ),
    ]
  } finally {
    place.clean()
  }
}
