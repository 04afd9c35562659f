import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOP } from '../run-tool.ts'
import { FILES, TURNS } from './emacs-story.ts'
import { renderFrame } from './frame-svg.ts'
import { openTerminal } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const SIZE = { columns: 92, rows: 36 } as const

/** A picture, its name in docs/pictures, and what is read aloud in its place. */
interface Scene {
  readonly name: string
  readonly title: string
  /** What a person does, until the frame is as it should be. */
  readonly play: (emacs: Terminal) => Promise<void>
}

const SCENES: readonly Scene[] = [
  {
    name: 'emacs-approval',
    title: 'Emacs: a question of the agent with its diff, above the conversation',
    async play(emacs) {
      await emacs.press('M-x')
      await emacs.type('tongs')
      await emacs.press('Enter')
      await emacs.until(/Ready/)
      await emacs.press('C-x', '1')
      await emacs.type('The total is wrong. Please mend it.')
      await emacs.press('C-c', 'C-c')
      await emacs.until(/\+ {2}\(apply #'\+ prices\)/)
      await emacs.until(/Asks you/)
    },
  },
  {
    name: 'emacs-conversation',
    title: 'Emacs: a conversation with calls, places that a search found, a failed test and an edit',
    async play(emacs) {
      await emacs.press('C-c', 'C-a')
      await emacs.until(/Tongs-Question/)
      await emacs.press('y')
      await emacs.until(/It adds now/)
      await emacs.until(/Ready/)
      await emacs.press('M-<')
      await emacs.until(/> The total is wrong/)
      await emacs.press('M->')
      await emacs.until(/It adds now/)
    },
  },
  {
    name: 'emacs-tasks',
    title: 'Emacs: the work items of a conversation, with their places in the code',
    async play(emacs) {
      await emacs.type('What is left to do?')
      await emacs.press('C-c', 'C-c')
      await emacs.until(/Two things are left/)
      await emacs.until(/Ready/)
      await emacs.press('C-c', 'C-t')
      await emacs.until(/Tongs-Tasks/)
    },
  },
]

/** Takes the pictures of the page about Emacs: name and SVG of each, from a real Emacs with a scripted model. */
export async function takeEmacsPictures(): Promise<Readonly<Record<string, string>>> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tongs-pictures-')))
  const root = join(home, 'orders')
  mkdirSync(root)
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text)
  writeFileSync(join(home, 'model.json'), JSON.stringify({ turns: TURNS }))
  writeFileSync(join(home, 'init.el'), INIT)
  const env = {
    HOME: home,
    TONGS_STATE_DIR: join(home, 'state'),
    TERM: 'tmux-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
  }
  const emacs = await openTerminal('emacs -Q -l ../init.el total.el', { ...SIZE, cwd: root, env })
  try {
    const pictures: Record<string, string> = {}
    for (const { name, title, play } of SCENES) {
      await play(emacs)
      pictures[name] = renderFrame(await emacs.frame(), { title, columns: SIZE.columns })
    }
    return pictures
  } finally {
    await emacs.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

// Without what a person would have in the frame of his own.
const INIT = `;; -*- lexical-binding: t -*-
(menu-bar-mode -1)
(setq inhibit-startup-screen t
      project-find-functions nil
      frame-background-mode 'dark
      mode-line-end-spaces "")
(add-to-list 'load-path ${JSON.stringify(join(TOP, 'emacs'))})
(autoload 'tongs "tongs" nil t)
(setq tongs-program ${JSON.stringify(join(TOP, 'bin/tongs'))}
      tongs-model "script:../model.json")
`
