/** Explains why the server could not listen on an address, in one line for the operator: the variable, the problem, the remedy. */

export interface ListenAddress {
  host: string;
  port: number;
  /** Name of the environment variable with the port. */
  portVariable: "PORT" | "METRICS_PORT";
}

type Explain = (address: ListenAddress) => string;

const hostVariable = ({ portVariable }: ListenAddress): string => (portVariable === "PORT" ? "HOST" : "METRICS_HOST");

const noAddress: Explain = (address) =>
  `${hostVariable(address)} ${address.host} is no address of this machine: set ${hostVariable(address)} to 127.0.0.1 for this machine alone, or to 0.0.0.0 for every other too`;

const EXPLANATIONS: Readonly<Record<string, Explain>> = {
  EADDRINUSE: ({ host, port, portVariable }) =>
    `${portVariable} ${port} is in use on ${host}: stop what listens there, or set ${portVariable} to a free port`,
  EACCES: ({ port, portVariable }) =>
    `${portVariable} ${port} is not open to this account: set ${portVariable} to 1024 or more`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
};

/** The error to throw in place of the listen error, which is its cause. */
export function listenFailure(error: Error & { code?: string }, address: ListenAddress): Error {
  const { host, port, portVariable } = address;
  const explain = EXPLANATIONS[error.code ?? ""];
  const line =
    explain?.(address) ??
    `${hostVariable(address)} ${host} with ${portVariable} ${port} cannot be used: ${error.message}`;
  return new Error(line, { cause: error });
}
