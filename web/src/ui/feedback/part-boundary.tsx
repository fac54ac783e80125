/** An error boundary that keeps the page alive when a lazy part fails to load or to render. */
import { Component, type ReactNode, Suspense } from "react";

interface Props {
  /** Renders the replacement, which stays from then on. */
  instead: (error: unknown) => ReactNode;
  children: ReactNode;
}

interface State {
  failure?: { error: unknown };
}

/** Renders its children, nothing while they load, and `instead` for good once they have failed, since React does not retry a lazy import. */
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
