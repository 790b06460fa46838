import { Controller, Get, Redirect } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

/** Until there is a page of its own, `/` leads to the documentation. */
@ApiExcludeController()
@Controller()
export class RootController {
  @Get()
  @Redirect('/docs', 302)
  toDocs(): void {
    // The redirect is the whole answer.
  }
}
