import { programEntry } from '../../servers/server-bench.ts'
import type { Scenario } from '../scenario.ts'
import { asked, call } from './make-call.ts'

/** Tools of an MCP server of others. */
export const SERVER_SCENARIOS: readonly Scenario[] = [
  {
    name: 'a tool of a foreign server is asked about, and its result is ours to present',
    files: {},
    settings: { 'mcp.servers': { s: { ...programEntry('sample-server.ts', []) } } },
    trusted: ['s'],
    steps: [
      asked(
        ['yes', { no: 'not this one' }],
        call('s__count', { value: 'four' }),
        call('s__echo', { value: 'hello' }),
      ),
    ],
    rows: [
      { state: 'COMPLETED', says: '4' },
      { state: 'DENIED', code: 'approval_denied', says: 'not this one' },
    ],
    questions: 2,
  },
]
