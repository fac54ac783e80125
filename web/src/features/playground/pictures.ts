/** Pictures for a prompt: read from files, the clipboard or a drop into data URLs, within bounds that a request can carry. */

/** Types that every vendor with pictures takes. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export const PICTURES_MOST = 8;
const BYTES_MOST = 8 * 1024 * 1024;

export type PictureProblem = "type" | "size" | "count" | "unreadable";

const isPicture = ({ type }: File): boolean => PICTURE_TYPES.some((known) => known === type);

function read(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}

export interface ReadPictures {
  urls: string[];
  /** What was wrong with those that are left out. */
  problems: PictureProblem[];
}

/** Reads files beside `count` pictures that are there already. */
export async function readPictures(files: readonly File[], count: number): Promise<ReadPictures> {
  const found: ReadPictures = { urls: [], problems: [] };
  for (const file of files) {
    if (!isPicture(file)) found.problems.push("type");
    else if (file.size > BYTES_MOST) found.problems.push("size");
    else if (count + found.urls.length >= PICTURES_MOST) found.problems.push("count");
    else {
      const url = await read(file).catch(() => undefined);
      if (url === undefined) found.problems.push("unreadable");
      else found.urls.push(url);
    }
  }
  return found;
}

/** Files of a paste or a drop. */
export const filesIn = (data: DataTransfer | null): File[] => [...(data?.files ?? [])];
