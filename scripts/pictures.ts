import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeAppRecordings } from './pictures/app-recordings.ts'
import { takeEmacsPictures } from './pictures/emacs-pictures.ts'
import { TOP } from './run-tool.ts'

/** Recordings of the app to take again; all pictures if none is named. */
const chosen = process.argv.slice(2)
const FOLDER = join(TOP, 'docs/pictures')

mkdirSync(FOLDER, { recursive: true })
const taken = {
  ...(await takeAppRecordings(chosen)),
  ...(chosen.length === 0 ? await takeEmacsPictures() : {}),
}
for (const [name, svg] of Object.entries(taken)) {
  writeFileSync(join(FOLDER, `${name}.svg`), svg)
  console.log(`drew docs/pictures/${name}.svg (${svg.length} characters)`)
}
