/** Lines and aspect ratio of a video, for vendors that are asked for both by name. Pure. */
import { TaskRefusal } from "../kind.ts";
import { type VideoRequest, aspectRatioOf, oneOf, resolutionOf } from "./request.ts";

export interface VideoShape {
  /** One of the model's, in lower case. */
  resolution: string;
  /** Such as 16:9; undefined where none was asked for. */
  ratio: string | undefined;
}

/**
 * The shape that a request asks for. `resolutions` are those of the model, of which `otherwise` is the one for a request that names none.
 * Throws TaskRefusal for lines that the model does not have, for pixels of no usual aspect ratio, and for pixels beside another size.
 */
export function shapeOf(
  request: VideoRequest,
  resolutions: readonly string[],
  otherwise: string,
  model: string,
): VideoShape {
  const { pixels, resolution, aspectRatio } = request;
  if (pixels !== undefined && (resolution !== undefined || aspectRatio !== undefined)) {
    const message = "'size' in pixels says the same as 'resolution' and 'aspect_ratio': send one.";
    throw new TaskRefusal("ambiguous_field", message, "size");
  }
  const name = pixels === undefined ? "resolution" : "size";
  const lines = oneOf(resolutionOf(request), resolutions, name, model) ?? otherwise;
  const ratio = aspectRatioOf(request);
  if (pixels !== undefined && ratio === undefined)
    throw new TaskRefusal("invalid_value", "'size' has no usual aspect ratio, such as 16:9 or 1:1.", "size");
  return { resolution: lines, ratio };
}

/** Size as a row and the log show it: `16:9 720p`. */
export const sizeText = (ratio: unknown, resolution: string): string =>
  typeof ratio === "string" && ratio !== "" ? `${ratio} ${resolution}` : resolution;
