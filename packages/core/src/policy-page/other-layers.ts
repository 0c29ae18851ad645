import type { PolicyFacts, RetryLayer } from './describe-policy.ts'

/** Whatever retries below the policy. */
export function otherLayers({ clients = [], layers = [] }: PolicyFacts): RetryLayer[] {
  return [...clients, ...layers]
}

/** `ky 2, gateway 1` */
export function nameLayers(layers: readonly RetryLayer[]): string {
  return layers.map(({ name, retries }) => `${name} ${retries}`).join(', ')
}

export function formatCalls(count: number): string {
  return count === Infinity ? 'calls without end' : `${count} calls`
}
