import { join } from 'node:path'
import { isJsonObject } from '../core/json/value.ts'
import { readTextIfThere, removeIfThere, replaceText } from '../host/folders.ts'
import type { Decision } from '../pipeline/pending.ts'

/** Where answers are left for a live process that owns the session and waits for them. */
export interface Mailbox {
  /** Leaves answers and waits a moment for the owner to take them. */
  readonly post: (approvals: readonly string[], decision: Decision) => Promise<void>
  /** Takes the answer to a question, if one was left. */
  readonly take: (approval: string) => Decision | null
}

const WAIT_MS = 10_000
const LOOK_MS = 100

/** Opens the mailbox of a state folder; it lies beside the journal, owner-only. */
export function openMailbox(stateDir: string): Mailbox {
  const fileFor = (approval: string): string =>
    join(stateDir, 'mailbox', `${approval.replaceAll(/[^0-9a-z]/g, '')}.json`)
  return {
    async post(approvals, decision) {
      for (const approval of approvals) replaceText(fileFor(approval), JSON.stringify(decision))
      for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
        if (approvals.every((approval) => readTextIfThere(fileFor(approval)) === null)) return
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    },
    take(approval) {
      const text = readTextIfThere(fileFor(approval))
      if (text === null) return null
      removeIfThere(fileFor(approval))
      return readDecision(text)
    },
  }
}

function readDecision(text: string): Decision | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value) || typeof value['isApproved'] !== 'boolean') return null
    return {
      isApproved: value['isApproved'],
      say: typeof value['say'] === 'string' ? value['say'] : null,
      actor: null,
    }
  } catch {
    return null
  }
}
