import { ApiProperty } from '@nestjs/swagger';

/** Documents what a field means where its name does not tell. Stands before the decorator that checks the field. */
export const Says = (description: string): PropertyDecorator => ApiProperty({ description });
