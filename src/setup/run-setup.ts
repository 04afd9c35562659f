import type { Settings } from '../config/keys.ts'
import type { Environment } from '../host/fs/folders.ts'
import { keySourcesOf } from '../agent/model-access.ts'
import { findWays, showWay } from './find-ways.ts'
import type { Way } from './find-ways.ts'
import { askAccess, askOtherKey } from './ask-access.ts'
import type { Access } from './ask-access.ts'
import { askContext, pickModel } from './pick-model.ts'
import { saveSetup } from './save-setup.ts'
import type { ChosenModel } from './save-setup.ts'
import type { SetupDialogs } from './setup-dialogs.ts'
import { tryModel } from './try-model.ts'

/** What setup works with. */
export interface SetupWorld {
  readonly env: Environment
  readonly settings: Settings
  readonly root: string
}

/** What is known before the first question. */
export interface SetupWish {
  /** Shown above the first question. */
  readonly introduction: readonly string[]
  /** The way, if it was given. */
  readonly way?: Way
  /** A server other than the provider's own. */
  readonly baseUrl?: string | null
}

/** How setup ended; nothing was written if the person left. */
export type SetupEnd =
  | { readonly is: 'left' }
  | { readonly is: 'done'; readonly chosen: ChosenModel; readonly says: readonly string[] }

/**
 * Guides a person to a working model: where it comes from, a key that was tried, a model of the provider's list. Everything
 * is written at the end, so that leaving earlier leaves nothing behind.
 */
export async function runSetup(dialogs: SetupDialogs, world: SetupWorld, wish: SetupWish): Promise<SetupEnd> {
  const notices: string[] = []
  const sources = keySourcesOf(world.settings, world, (notice) => notices.push(notice))
  for (;;) {
    const way = wish.way ?? (await chooseWay(dialogs, sources, wish.introduction, notices))
    if (way === null) return { is: 'left' }
    const accessWorld = { ...world, sources, baseUrl: wish.baseUrl ?? null }
    let access = await askAccess(dialogs, way, accessWorld)
    while (access !== null) {
      const chosen: ChosenModel | RefusedKey | null = await chooseModel(dialogs, access)
      if (chosen === null) break
      if (!('refused' in chosen)) {
        const says = await saveSetup(chosen, world, sources.onOpenFile)
        const size = isSizeKnown(chosen, access) ? [] : [UNKNOWN_SIZE]
        return { is: 'done', chosen, says: [...says, ...size, ...notices] }
      }
      access = await askOtherKey(dialogs, access, chosen.refused, accessWorld)
    }
    if (wish.way !== undefined) return { is: 'left' }
  }
}

const UNKNOWN_SIZE =
  'Nothing tells how large its context window is. If you know, set model.context_tokens, or choose it again with /model.'

function isSizeKnown({ spec, contextTokens }: ChosenModel, { models }: Access): boolean {
  return contextTokens !== null || (models.find((one) => one.spec === spec)?.contextTokens ?? null) !== null
}

async function chooseWay(
  dialogs: SetupDialogs,
  sources: Parameters<typeof findWays>[0],
  introduction: readonly string[],
  notices: string[],
): Promise<Way | null> {
  const ways = await dialogs.during('Looking for keys and for model servers on this machine…', () =>
    findWays(sources),
  )
  if (ways === null) return null
  return dialogs.choose({
    title: 'Where should answers come from?',
    rows: [...introduction, ...notices.splice(0)],
    choices: ways.map(showWay),
  })
}

/** A key that the server does not accept, although it shows its models. */
interface RefusedKey {
  readonly refused: string
}

/** The model, tried if the list of models did not prove that the key is accepted. */
async function chooseModel(dialogs: SetupDialogs, access: Access): Promise<ChosenModel | RefusedKey | null> {
  const { provider, baseUrl, key, isProven } = access
  let rows: readonly string[] = []
  for (;;) {
    const picked = await pickModel(dialogs, access, rows)
    if (picked === null) return null
    const { spec } = picked
    if (!isProven || picked.isTyped) {
      const trial = await dialogs.during(`Trying ${spec} with one small request…`, (signal) =>
        tryModel({ spec, baseUrl, key: key.key, signal }),
      )
      if (trial === null) return null
      if (!trial.ok && trial.isKeyRefused) return { refused: trial.message }
      const next = trial.ok ? 'take' : await askAfterTrial(dialogs, trial.message)
      if (next === null) return null
      if (next === 'again') {
        rows = trial.ok ? [] : [trial.message]
        continue
      }
    }
    // From a list, the way to an answer stays two steps; the size can be told later.
    const contextTokens = picked.isTyped ? await askContext(dialogs, picked) : null
    if (contextTokens === 'back') {
      rows = []
      continue
    }
    return { spec, provider, baseUrl, key, contextTokens }
  }
}

async function askAfterTrial(dialogs: SetupDialogs, message: string): Promise<'again' | 'take' | null> {
  return dialogs.choose<'again' | 'take'>({
    title: 'That did not work',
    rows: [message],
    choices: [
      { label: 'Choose a model again', value: 'again' },
      { label: 'Keep it all the same', value: 'take' },
    ],
  })
}
