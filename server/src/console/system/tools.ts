/** The interface by which the composition root gives the system page what configuration, backups and the doctor know. */
import type { BackupDestination, ProcessVitals, SystemCheck } from "../../../../contract/src/features/system.ts";

export type BackupFacts = BackupDestination;

export interface SystemTools {
  /** Connections that each process may open; 0 for the embedded database. */
  poolSize: number;
  /** The checks of the doctor. Throws an Error of one line where they cannot be made. */
  checks(): Promise<SystemCheck[]>;
  /** The support bundle: its files as text, and all as `.tar.gz` in base64. */
  bundle(): Promise<{ files: { name: string; text: string }[]; archive: string }>;
  /** Of the disk that DATA_DIR is on. */
  disk(): Promise<{ free_bytes: number; total_bytes: number }>;
  processes(): Promise<ProcessVitals[]>;
  backups(): Promise<BackupFacts[]>;
  /** Asks for a backup; where it goes, or undefined where there is no such destination. */
  requestBackup(destination: BackupDestination["name"]): Promise<string | undefined>;
}
