/**
 * Keeps the committed lists of public exports (`packages/<name>/api/<entry>.api.md`) current, so that a
 * change of the public API shows in the diff.
 *
 *   pnpm check:api           fails where a list is out of date
 *   pnpm check:api --update  writes the lists
 *
 * Reads the built declarations: build first.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'

const isUpdate = process.argv.includes('--update')
let isCurrent = true

for (const name of readdirSync('packages')) {
  const folder = resolve('packages', name)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const [entry, target] of Object.entries<{ types?: string }>(manifest.exports)) {
    if (!target.types) continue
    const title = entry === '.' ? name : entry.slice(2)
    mkdirSync(join(folder, 'api'), { recursive: true })
    const result = Extractor.invoke(
      ExtractorConfig.prepare({
        packageJsonFullPath: join(folder, 'package.json'),
        configObjectFullPath: undefined,
        configObject: {
          projectFolder: folder,
          mainEntryPointFilePath: join(folder, target.types),
          newlineKind: 'lf',
          compiler: {
            overrideTsconfig: {
              compilerOptions: {
                module: 'NodeNext',
                target: 'ES2022',
                lib: ['ES2023', 'DOM'],
                jsx: 'react-jsx',
                skipLibCheck: true,
                allowImportingTsExtensions: true,
                noEmit: true,
              },
              include: [join(folder, 'dist')],
            },
          },
          apiReport: {
            enabled: true,
            reportFolder: join(folder, 'api'),
            reportFileName: `${title}.api.md`,
            reportTempFolder: join(folder, 'node_modules', '.api-report'),
          },
          docModel: { enabled: false },
          dtsRollup: { enabled: false },
          tsdocMetadata: { enabled: false },
          messages: {
            extractorMessageReporting: {
              default: { logLevel: ExtractorLogLevel.None },
              'ae-forgotten-export': { logLevel: ExtractorLogLevel.None },
            },
            tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
          },
        },
      }),
      {
        localBuild: isUpdate,
        showVerboseMessages: false,
        messageCallback: message => {
          message.handled = true
        },
      },
    )
    if (result.apiReportChanged && !isUpdate) {
      isCurrent = false
      console.error(
        `packages/${name}/api/${title}.api.md is out of date: run \`pnpm check:api --update\` and commit it.`,
      )
    } else {
      console.log(`packages/${name}/api/${title}.api.md is current`)
    }
  }
}
process.exitCode = isCurrent ? 0 : 1
