import { cleanUpWith } from '../../harness/clean-up.ts'
import { makeShop, TONGS } from '../cli/command-line.ts'
import type { Shop } from '../cli/command-line.ts'
import { openPane } from '../cli/pane.ts'
import type { Pane } from '../cli/pane.ts'

/** The app in a real terminal. */
export interface AppPane extends Pane {
  readonly shop: Shop
  /** Types a line and sends it. */
  readonly send: (line: string) => Promise<void>
  /** Presses a key of a sheet once the sheet listens, and waits for what follows. */
  readonly answer: (key: string, then: RegExp) => Promise<string>
  /** The same with Enter behind it, as several questions are answered. */
  readonly answerLine: (line: string, then: RegExp) => Promise<string>
  /** Starts the app again in the same terminal. */
  readonly restart: (words?: string) => Promise<void>
  /** The words it was started with. */
  readonly words: string
  /** Ends the app by SIGKILL and gives the terminal back to its shell. */
  readonly kill: () => Promise<void>
}

interface AppWish {
  readonly files?: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
  /** Words of the command line. */
  readonly words?: string
  readonly env?: Readonly<Record<string, string>>
  readonly shop?: Shop
  /** Starts it without naming a session; else the words name one, or it is `cli`, so that a test finds it again. */
  readonly isUnnamed?: boolean
}

/** What the start screen says once it is there. */
export const READY = /Type a call, such as|Type a prompt, a call/
/** What every sheet says once it listens. */
export const LISTENING = /Esc\s+(?:cancel|back)$|y yes|r resume|Enter denies/m

/** Opens the app on a workspace of its own. */
export async function openApp(wish: AppWish = {}): Promise<AppPane> {
  const shop = wish.shop ?? makeShop(wish.files ?? {})
  cleanUpWith(shop.remove)
  const pane = await openPane(wish.columns ?? 100, wish.rows ?? 40, shop.root, {
    TONGS_STATE_DIR: shop.stateDir,
    HOME: shop.env['HOME'],
    XDG_CONFIG_HOME: shop.env['XDG_CONFIG_HOME'],
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    ...wish.env,
  })
  const start = async (words: string): Promise<void> => {
    // A terminal says itself what it is called; only the command line can say otherwise.
    const called = wish.env?.['TERM'] === undefined ? '' : `TERM=${wish.env['TERM']} `
    const isNamed = wish.isUnnamed === true || /--(?:session|continue)\b/.test(words)
    await pane.type(`clear; ${called}'${TONGS}' --root . ${isNamed ? '' : '--session cli '}${words}`)
    await pane.press('Enter')
  }
  await start(wish.words ?? '')
  return {
    ...pane,
    shop,
    async send(line) {
      await pane.type(line)
      await pane.press('Enter')
    },
    async answer(key, then) {
      await pane.until(LISTENING)
      await pane.press(key)
      return pane.until(then)
    },
    async answerLine(line, then) {
      await pane.until(LISTENING)
      await pane.type(line)
      await pane.press('Enter')
      return pane.until(then)
    },
    restart: (words = '') => start(words),
    words: wish.words ?? '',
    async kill() {
      const [owner = 0] = await pane.children()
      process.kill(owner, 'SIGKILL')
      // The terminal is as the app left it: raw, and on its other screen.
      await pane.until(/Killed/)
      await pane.type("stty sane; printf '\\033[?1049l'; clear")
      await pane.press('C-j')
      await pane.until(/^[#$] ?$/m)
    },
  }
}
