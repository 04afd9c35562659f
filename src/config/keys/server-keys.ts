import { servers } from '../kinds/servers-kind.ts'
import { key } from './key-spec.ts'

/** The servers of others whose tools may be used. */
export const serverKeys = {
  'mcp.servers': key(servers(), {
    fromProject: 'nothing',
    default: {},
    description:
      'MCP servers whose tools may be called, each as a table `[mcp.servers.NAME]`; a project cannot name any, because they are programs.',
  }),
} as const
