/**
 * `Promise.withResolvers` for Node 20, which libp2p calls and only Node 22 brings. Import it before libp2p.
 * Source: ECMA-262 2024, section 27.2.4.8.
 */

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason?: unknown) => void;
}

if (!("withResolvers" in Promise)) {
  Object.defineProperty(Promise, "withResolvers", { configurable: true, writable: true, value: withResolvers });
}

function withResolvers<T>(this: PromiseConstructor): Deferred<T> {
  let resolve: Deferred<T>["resolve"] = () => {};
  let reject: Deferred<T>["reject"] = () => {};
  const promise = new this<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
