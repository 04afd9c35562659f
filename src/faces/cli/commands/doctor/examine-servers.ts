import type { Settings } from '../../../../config/keys.ts'
import { readTrustedPins } from '../../../../runtime/servers/trusted-pins.ts'
import { readLastError } from '../../../../servers/pins.ts'
import { confinementOf } from '../../../../servers/server-confinement.ts'
import type { DoctorLine } from './doctor-line.ts'

/** One line for each configured MCP server. None is started. */
export function examineServers(settings: Settings, stateDir: string): readonly DoctorLine[] {
  return Object.entries(settings['mcp.servers']).map(([server, setting]): DoctorLine => {
    const { enabled } = setting
    const name = `mcp server ${server}`
    if (!enabled) return { name, value: 'off', isFine: true }
    const pins = readTrustedPins(stateDir, server)
    if (pins === null)
      return {
        name,
        value: 'not trusted yet',
        isFine: true,
        hint: `read what it offers: tongs mcp trust ${server}`,
      }
    const fault = readLastError(stateDir, server)
    const { label, isUsual } = confinementOf(setting, settings)
    const confined = isUsual || label === null ? '' : `, ${label}`
    if (fault === null) return { name, value: `${pins.length} tools trusted${confined}`, isFine: true }
    return {
      name,
      value: `failed last time: ${fault}`,
      isFine: false,
      hint: `what it printed is in ${stateDir}/mcp/${server}.stderr`,
    }
  })
}
