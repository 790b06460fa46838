import { Param, type PipeTransform } from '@nestjs/common';
import { assertId } from '#domain';

/** Ids in a path: any that is well formed may be unknown, any other is refused by its name (C45). */
class PathIdPipe implements PipeTransform<unknown, string> {
  constructor(private readonly field: string) {}

  transform(value: unknown): string {
    assertId(value, this.field);
    return value;
  }
}

export const TaskId = (): ParameterDecorator => Param('taskId', new PathIdPipe('taskId'));
export const CancellationId = (): ParameterDecorator =>
  Param('cancellationId', new PathIdPipe('cancellationId'));
