/**
 * Says once a run which seed its random cases come from. vitest.config.ts draws it.
 */
export function setup({ config }: { readonly config: { readonly env: Readonly<Record<string, unknown>> } }): void {
  console.log(`Random cases of seed ${String(config.env.OFS_SEED)}; OFS_SEED repeats them.`);
}
