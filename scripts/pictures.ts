import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeEmacsPictures } from './pictures/emacs-pictures.ts'
import { TOP } from './run-tool.ts'

const FOLDER = join(TOP, 'docs/pictures')

mkdirSync(FOLDER, { recursive: true })
for (const [name, svg] of Object.entries(await takeEmacsPictures())) {
  writeFileSync(join(FOLDER, `${name}.svg`), svg)
  console.log(`drew docs/pictures/${name}.svg (${svg.length} characters)`)
}
