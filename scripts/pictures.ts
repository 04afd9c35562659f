import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeAppRecordings } from './pictures/app-recordings.ts'
import { takeEmacsPictures } from './pictures/emacs-pictures.ts'
import { SIDE_BY_SIDE, takeSideBySide } from './pictures/side-by-side.ts'
import { TOP } from './run-tool.ts'

const FOLDER = join(TOP, 'docs/pictures')

/**
 * Takes pictures again and writes them. `chosen` names recordings of the app, `side-by-side`, or `side-by-side/NAME`, which
 * installs a peer; all but those are taken if none is named.
 */
export async function takePictures(chosen: readonly string[]): Promise<void> {
  mkdirSync(join(FOLDER, SIDE_BY_SIDE), { recursive: true })
  const recordings = chosen.filter((name) => !name.startsWith(SIDE_BY_SIDE))
  const taken = {
    ...(chosen.length === 0 || recordings.length > 0 ? await takeAppRecordings(recordings) : {}),
    ...(chosen.length === 0 ? await takeEmacsPictures() : {}),
    ...(await takeSideBySide(chosen)),
  }
  for (const [name, svg] of Object.entries(taken)) {
    writeFileSync(join(FOLDER, `${name}.svg`), svg)
    console.log(`drew docs/pictures/${name}.svg (${svg.length} characters)`)
  }
}
