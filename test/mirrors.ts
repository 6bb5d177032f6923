/**
 * What the mirrors of domains bring to tests over all domains: a file of one name in each folder that has one. So a new
 * domain's own folder is the one place of its tests.
 */
import { existsSync, readdirSync } from "node:fs";

/** Everything that `test/DOMAIN/file` exports, folder by folder. */
export async function ofMirrors<T>(file: string): Promise<readonly T[]> {
  const folders = readdirSync(new URL("./", import.meta.url)).sort();
  const found = folders.map((folder) => new URL(`./${folder}/${file}`, import.meta.url)).filter(existsSync);
  return Promise.all(found.map((url) => import(url.href) as Promise<T>));
}
