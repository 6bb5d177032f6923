/**
 * What was asked and what was answered, call by call: a batch answers its members in order, notifications left out.
 * Source: protocol 01 §10.2, §10.3.
 */

/** One call that was answered. */
export interface Exchange {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The result, `null` among them; absent when the call was refused. */
  readonly result?: unknown;
  /** The registered number of a refusal, if it has one. */
  readonly refusal?: number;
  /** Which of the causes of a refusal it was, where the answer says so. */
  readonly reason?: string;
}

interface Answered {
  readonly result?: unknown;
  readonly error?: { readonly data?: { readonly ofsErrorCode?: number; readonly reason?: string } };
}

/** Every call of a body with its answer. What cannot be read is no call. */
export function exchangesOf(request: string, answer: string): readonly Exchange[] {
  const [asked, told] = [parsed(request), parsed(answer)];
  const calls = listed(asked).filter((call) => !Array.isArray(asked) || (isRecord(call) && "id" in call));
  return calls.flatMap((call, place) => {
    const one = listed(told)[place];
    if (!isRecord(call) || typeof call.method !== "string" || !isRecord(one)) return [];
    const { result, error } = one as Answered;
    const { ofsErrorCode: refusal, reason } = error?.data ?? {};
    return [
      {
        method: call.method,
        params: isRecord(call.params) ? call.params : {},
        ...("result" in one && { result }),
        ...(refusal !== undefined && { refusal }),
        ...(reason !== undefined && { reason }),
      },
    ];
  });
}

/** Every record in a value, however deep. */
export function* recordsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) for (const item of value) yield* recordsIn(item);
  else if (isRecord(value)) {
    yield value;
    for (const member of Object.values(value)) yield* recordsIn(member);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
