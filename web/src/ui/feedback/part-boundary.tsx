/** Keeps the page where a part of it that loads later does not come, or fails while it is drawn. */
import { Component, type ReactNode, Suspense } from "react";

interface Props {
  /** What stands in for the part from then on. */
  instead: (error: unknown) => ReactNode;
  children: ReactNode;
}

interface State {
  failure?: { error: unknown };
}

/** Draws its children, nothing while they load, and `instead` once they have failed: a browser asks for a missing script only once. */
export class PartBoundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure !== undefined) return this.props.instead(failure.error);
    return <Suspense fallback={null}>{this.props.children}</Suspense>;
  }
}
