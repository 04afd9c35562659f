import { parseCommand } from '../../core/command/parse-command.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import type { CallFacts } from '../../policy/facts.ts'
import type { Engine } from '../engine.ts'
import type { Preview } from '../execute/preview.ts'
import { folderOf } from '../plan/named-files.ts'
import type { Step } from '../step.ts'

/** What decides about a call without being shown: its tool's version, where its paths lead, what exactly would start. */
export function undrawnFacts({ tool, facts }: Step, preview: Preview, engine: Engine): JsonObject {
  const announced = preview.is === 'unknown' ? (preview.starts ?? []) : []
  return asJson({
    version: tool?.version ?? null,
    places: facts.claims.map(({ absolute }) => placeIn(engine, absolute)),
    staged: preview.is === 'shown' ? preview.places.map((place) => placeIn(engine, place)) : [],
    landing: preview.is === 'shown' ? preview.landing?.digest : undefined,
    granted: facts.extraPaths.map(({ path, real, kind }) => ({ path, real, kind })),
    shell: facts.shell,
    reach: facts.shell === null ? null : reachOf(engine),
    starts: announced.map((request) => describeStart(request, engine)),
    programs: engine.shell.findPrograms(namedPrograms(facts), { argv: [], cwd: folderOf(facts) }),
  })
}

/** A place by its path from the root, so that a root which was renamed meanwhile changes nothing. */
function placeIn({ workspace }: Engine, absolute: string | null): string | null {
  const [root = '/'] = workspace.roots
  if (absolute === root) return '.'
  return absolute?.startsWith(`${root}/`) === true ? `.${absolute.slice(root.length)}` : absolute
}

/** A process that would start, with the file behind its first word. Its time and output limits follow from settings. */
export function describeStart(request: SpawnRequest, engine: Engine): JsonObject {
  const { timeoutMs: _timeoutMs, keepBytes: _keepBytes, spillFromBytes: _spillFromBytes, ...start } = request
  return asJson({
    ...start,
    program: engine.shell.findProgram(request.argv[0] ?? '', request),
    ...(request.programs === undefined ? {} : { replaced: engine.shell.findReplaced(request) }),
  })
}

/**
 * The roots and the settings that decide what a command can reach. All of them, so that a new one counts as well, but
 * for the one that says when to ask: the approver has been asked.
 */
function reachOf({ settings, workspace: { roots } }: Engine): JsonObject {
  const reach = Object.entries(settings).filter(
    ([key]) => /^tools\.(?:shell|environment|sandbox)\./.test(key) && key !== 'tools.shell.ask',
  )
  return asJson({ roots, ...Object.fromEntries(reach) })
}

/** The programs that the words of a call name. Those of a line that cannot be parsed are unknown. */
function namedPrograms({ tool }: CallFacts): readonly string[] {
  const command = tool?.command ?? null
  if (command === null) return []
  if (command.kind === 'words') return command.words.slice(0, 1)
  const parsed = parseCommand(command.text)
  return ['sh', ...(parsed.ok ? parsed.commands.flatMap(({ words }) => words.slice(0, 1)) : [])]
}

/** Drops what is undefined, so that an absent field and an undefined one are the same. */
function asJson(value: Readonly<Record<string, unknown>>): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
