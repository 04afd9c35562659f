import { SEARCH_TOOLS } from '../../core/registry.ts'
import type { DelegatedTask } from '../../core/conversation/delegation.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { providerOf } from '../../model/model-spec.ts'
import type { Role, Roles } from '../../runtime/roles/role.ts'
import type { ModelSetup } from '../model-setup.ts'

/** A piece of work as it is handed on. */
export type PlannedWork =
  | {
      readonly ok: true
      readonly task: DelegatedTask
      readonly role: Role | null
      /** The tools of its conversation, by name. */
      readonly tools: readonly string[]
      readonly depth: number
    }
  | { readonly ok: false; readonly error: ToolError }

/** Plans the work of a call: its role, and the tools it has, which are at most those of the conversation around it. */
export function planWork(args: JsonObject, setup: ModelSetup, roles: () => Roles): PlannedWork {
  // They have passed the input schema of the tool.
  const task = args as unknown as DelegatedTask
  const depth = depthOf(setup) + 1
  const most = setup.settings['tools.delegate.max_depth']
  if (depth > most) return refuse('not_allowed', `Conversations may delegate ${most} deep, and this one is.`)
  const found = task.role === undefined ? null : findRole(task.role, roles())
  if (typeof found === 'string') return refuse('bad_args', found, { argument: 'role' })
  const fault = found === null ? null : findModelFault(found, setup)
  if (fault !== null) return refuse('not_allowed', fault, { argument: 'role' })
  const tools = chooseTools(task, found, setup, depth < most)
  if (tools.length === 0 && (task.tools ?? []).length > 0)
    return refuse('bad_args', `None of these tools is there to be handed on: ${task.tools?.join(', ')}.`, {
      argument: 'tools',
    })
  return { ok: true, task, role: found, tools, depth }
}

/** How deep a conversation is delegated; 0 for that of the session. */
function depthOf({ delegated }: ModelSetup): number {
  return delegated?.depth ?? 0
}

/** Whether a conversation with these tools can only read. */
export function canOnlyRead(tools: readonly string[], { runtime }: ModelSetup): boolean {
  const effects = new Map(runtime.definitions().map(({ name, effect }) => [name, effect]))
  return tools.every((name) => effects.get(name) === 'read')
}

function chooseTools(
  { tools }: DelegatedTask,
  role: Role | null,
  { toolNames, runtime }: ModelSetup,
  mayDelegate: boolean,
): readonly string[] {
  const definitions = new Map(runtime.definitions().map((one) => [one.name, one]))
  return toolNames().filter((name) => {
    const definition = definitions.get(name)
    // What a search finds is not told to a delegated conversation, so it has nothing to search for.
    if (definition === undefined || name === SEARCH_TOOLS) return false
    if (definition.converses && !mayDelegate) return false
    if (role !== null && role.tools !== null && !role.tools.includes(name)) return false
    if (tools !== undefined) return tools.includes(name)
    // A list that a conversation keeps for itself is handed on only by name.
    return role?.tools?.includes(name) === true || !definition.capabilities.includes('state.write')
  })
}

function findRole(name: string, { usable, unusable }: Roles): Role | string {
  const role = usable.find((one) => one.name === name)
  if (role !== undefined) return role
  const broken = unusable.find((one) => one.name === name)
  if (broken !== undefined) return `${name} is not a role that can be used: ${broken.why}.`
  const known = usable.map((one) => one.name)
  return `There is no role ${JSON.stringify(name)}. ${known.length === 0 ? 'None is defined: leave it out.' : `Defined are: ${known.join(', ')}.`}`
}

/** What is in the workspace goes to a provider that the user chose; the file of a project cannot choose another. */
function findModelFault({ name, model, from }: Role, { model: own, settings }: ModelSetup): string | null {
  if (model === null || from === 'user') return null
  const chosen = [own.id, settings['model.name']].map((spec) => providerOf(spec))
  const its = providerOf(model)
  return its !== null && chosen.includes(its)
    ? null
    : `The role ${name} of the project names a model of another provider, ${model}; only a role of the user may.`
}

function refuse(code: 'not_allowed' | 'bad_args', message: string, details: JsonObject = {}): PlannedWork {
  return { ok: false, error: toolError(code, message, details) }
}
