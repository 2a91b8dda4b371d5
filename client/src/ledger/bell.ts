/** Pauses that end early when the bell rings, even if it rang before the pause began. */
export class Bell {
  private isRung = false;
  private end = () => {};

  ring(): void {
    this.isRung = true;
    this.end();
  }

  async wait(milliseconds: number): Promise<void> {
    if (!this.isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.isRung = false;
  }
}
