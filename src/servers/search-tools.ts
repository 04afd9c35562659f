import type { JsonObject } from '../core/json/value.ts'
import { SEARCH_TOOLS } from '../core/registry.ts'
import { ellipsis } from '../core/text/truncate.ts'
import type { Tool } from '../core/tool.ts'
import { anyObject, array, integer, object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { defineTool } from '../tools/define/define-tool.ts'
import { fitList } from '../tools/reading/fit-list.ts'
import { serverOf } from './foreign-tool.ts'
import { rankTools } from './rank-tools.ts'

const USUAL_RESULTS = 5
const MOST_RESULTS = 20
const MOST_QUERY_CHARS = 500
const LINE_CHARS = 200
const MOST_SERVERS_NAMED = 40

const input = object(
  {
    query: string('What the tool should do or is called, in a few words', {
      minLength: 1,
      maxLength: MOST_QUERY_CHARS,
    }),
    limit: optional(
      integer(`How many tools to show at most; ${USUAL_RESULTS} if left out`, {
        minimum: 1,
        maximum: MOST_RESULTS,
      }),
    ),
  },
  'What to look for',
)

const output = object(
  {
    tools: array(
      object(
        {
          name: string('What it is called by'),
          description: string('What its server says about it, in one line'),
          input_schema: anyObject('Its arguments'),
        },
        'A tool that can be called',
      ),
      'The best matches, the best first',
    ),
    matches: integer('How many tools match at all'),
    searched: integer('How many tools there are to find'),
  },
  'The tools that were found',
)

type Found = Infer<typeof output>

/** Makes the tool that finds foreign tools, for a model that is not told about each of them. */
export function createSearchTools(
  tools: readonly Pick<Tool, 'name' | 'description' | 'inputSchema'>[],
): Tool {
  return defineTool({
    name: SEARCH_TOOLS,
    version: '1.0.0',
    description: `Find tools of the user's MCP servers, which are not listed here because there are many: ${describeCatalog(tools.map(({ name }) => name))}. What is found can be called from then on`,
    effect: 'read',
    capabilities: [],
    deterministic: true,
    input,
    output,
    slips: {
      names: { q: 'query', text: 'query', max_results: 'limit' },
      tool: ['find_tools', 'tool_search'],
    },
    // It names no paths, so it works the same in every folder.
    rebase: (args) => args,
    summary: ({ query }) => `Search tools for ${JSON.stringify(query)}`,
    present: { text: renderFound, mayTruncate: false },
    run({ query, limit = USUAL_RESULTS }, { maxOutputBytes }): Found {
      const ranked = rankTools(tools, query)
      const rows = ranked.slice(0, limit).map(({ name, description, inputSchema }) => ({
        name,
        description: ellipsis(description.split('\n', 1)[0] ?? '', LINE_CHARS),
        input_schema: withoutDialect(inputSchema),
      }))
      return fitList(rows, maxOutputBytes, (fitting) => ({
        tools: fitting,
        matches: ranked.length,
        searched: tools.length,
      }))
    },
  })
}

/** How many tools which servers have, such as `12 tools of 2 servers (mail 4, notes 8)`. */
function describeCatalog(names: readonly string[]): string {
  const byServer = [...Map.groupBy(names, serverOf)].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const named = byServer.slice(0, MOST_SERVERS_NAMED).map(([server, own]) => `${server} ${own.length}`)
  const more = byServer.length - named.length
  return `${names.length} tools of ${byServer.length} servers (${[...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')})`
}

function withoutDialect({ $schema: _dialect, ...schema }: JsonObject): JsonObject {
  return schema
}

function renderFound({ tools, matches, searched }: Found): string {
  if (matches === 0)
    return `None of ${searched} tools matches. Use other words for what the tool should do, or the name of a server.`
  const rows = tools.map(
    ({ name, description, input_schema }) => `${name}: ${description}\n  ${JSON.stringify(input_schema)}`,
  )
  const left = matches - tools.length
  const more = left > 0 ? [`${left} more match: use more precise words, or a higher limit.`] : []
  return [...rows, ...more].join('\n')
}
