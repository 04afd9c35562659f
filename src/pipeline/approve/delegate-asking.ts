import type { ApprovalRequest } from '../../core/approval.ts'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { LogReader } from '../../journal/log.ts'

/** Whose conversation asks. */
export type Delegate = NonNullable<ApprovalRequest['delegate']>

const utf8 = new TextDecoder()

/** The task of a delegated conversation, by the call that it belongs to: all of it, as the arguments of a call. */
export function readDelegate(
  execution: string,
  { about, payload }: Pick<LogReader, 'about' | 'payload'>,
): Delegate {
  const call = about(execution)
    .flatMap(({ entry }) => (entry.kind === 'batch' ? entry.calls : []))
    .find((one) => one.execution === execution)
  const bytes = call === undefined ? null : payload(call.args)
  const args = bytes === null ? null : parseJson(utf8.decode(bytes))
  const { task, role } = isJsonObject(args) ? args : {}
  return {
    execution,
    task: typeof task === 'string' ? task : '',
    ...(typeof role === 'string' ? { role } : {}),
  }
}

/** The same as a sentence for the person who is asked; the task, which a model wrote, is shown with the call. */
export function describeDelegate({ role }: Delegate): string {
  return `A delegated conversation${role === undefined ? '' : ` (${role})`} wants this, for the task that is shown.`
}
