type Dispose = () => void | Promise<void>;

/** What has to be closed, in the order in which it was opened. */
export interface Disposables {
  /** To be called before all that was added so far. */
  readonly add: (dispose: Dispose) => void;
  /** The last one first. One that fails keeps none of the others open. */
  readonly dispose: () => Promise<void>;
}

export function disposables(): Disposables {
  const added: Dispose[] = [];
  return {
    add: (dispose) => {
      added.push(dispose);
    },
    dispose: () => disposeOf(added.splice(0)),
  };
}

async function disposeOf(left: Dispose[]): Promise<void> {
  const last = left.pop();
  if (last === undefined) return;
  try {
    await last();
  } finally {
    await disposeOf(left);
  }
}
