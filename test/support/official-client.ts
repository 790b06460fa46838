import { type Message as SdkMessage, SendMessageRequest } from '@a2a-js/sdk';
import { type CallInterceptor, type Client, ClientFactory, ClientFactoryOptions } from '@a2a-js/sdk/client';
import { sendParams, type SendOptions } from './a2a-rpc.js';
import { callerHeaders, type TestCaller } from './callers.js';

/** The official client, led by the agent card it fetches; `caller` is announced on each of its requests. */
export const officialClient = (service: { readonly url: string }, caller?: TestCaller): Promise<Client> => {
  const announce: CallInterceptor = {
    before: (args) => {
      const serviceParameters = { ...args.options?.serviceParameters, ...callerHeaders(caller) };
      args.options = { ...args.options, serviceParameters };
      return Promise.resolve();
    },
    after: () => Promise.resolve(),
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    clientConfig: { interceptors: [announce] },
  });
  return new ClientFactory(options).createFromUrl(service.url);
};

/** A request as the official client takes it. */
export const sendRequest = (text: string, options: SendOptions = {}): SendMessageRequest =>
  SendMessageRequest.fromJSON(sendParams(text, options));

/** The texts of a message of the official client. */
export const textsOfSdkMessage = (message: SdkMessage | undefined): string[] =>
  (message?.parts ?? []).flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
